// The tools over the list of reminders: VTODOs beside the calendar.
#ifndef REMINDERS_H
#define REMINDERS_H

#include "json.h"

void set_reminder(json arguments);
void list_reminders(json arguments);
void complete_reminder(json arguments);
void delete_reminder(json arguments);

#endif
