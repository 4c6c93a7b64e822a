/* Tasks of screens on the threads for files. */
#include "screens/file_task.h"

void file_task_submit(struct desk *desk, enum file_task_kind kind, struct desk_task *task)
{
	if (!desk->submit(desk, kind == FILE_TASK_RUN ? "files-runs" : "files-folder", task, NULL))
		return;
	/* No thread to be had: the screen stands still for as long as it takes. */
	task->work(task);
	if (task->done)
		task->done(task);
	task->dispose(task);
}
