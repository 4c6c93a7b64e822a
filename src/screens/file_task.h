/* Tasks of screens that read or write files of runs: on two threads for files (DESIGN 5), or at once
 * where there are no threads. UI thread. */
#ifndef SCREENS_FILE_TASK_H
#define SCREENS_FILE_TASK_H

#include "screens/screen.h"

/* Going through a whole folder may take its time: single runs are read and written beside it. */
enum file_task_kind { FILE_TASK_FOLDER, FILE_TASK_RUN };

/* Takes the task over. Its done may be called before this returns. */
void file_task_submit(struct desk *desk, enum file_task_kind kind, struct desk_task *task);

#endif
