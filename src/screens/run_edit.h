/* What can be done to saved runs from any screen that shows them: tags, a note, deleting, exporting.
 * Each asks in a dialog, does it on the thread for files and tells what came of it in a notice.
 * A screen that offers this has the op `edit`. UI thread. */
#ifndef SCREENS_RUN_EDIT_H
#define SCREENS_RUN_EDIT_H

#include "result/store.h"
#include "screens/screen.h"

struct run_edit {
	struct screen *screen;
	struct store_entry *entries; /* what is being asked about; owned */
	size_t count;
	struct run_marks common; /* the tags that all of them have */
	char text[1200];         /* typed in the last dialog */
	/* Something was written: the entries as they are now, or which are gone. May be NULL. */
	void (*changed)(struct screen *screen, const struct store_entry *entries, size_t count,
		bool deleted);
};

void run_edit_init(struct run_edit *edit, struct screen *screen,
	void (*changed)(struct screen *screen, const struct store_entry *entries, size_t count,
		bool deleted));
void run_edit_free(struct run_edit *edit);

/* All copy the entries. What cannot be done (running, unreadable) is a notice. */
void run_edit_tags(struct run_edit *edit, const struct store_entry *entries, size_t count);
void run_edit_note(struct run_edit *edit, const struct store_entry *entries, size_t count);
void run_edit_delete(struct run_edit *edit, const struct store_entry *entries, size_t count);
/* The file's ending says what is written. '*' in its name stands for the run's id. */
void run_edit_export(struct run_edit *edit, const struct store_entry *entries, size_t count);

/* "~/x" with the home folder put in; else as it is. */
void run_edit_path(const char *typed, char *buf, size_t size);

#endif
