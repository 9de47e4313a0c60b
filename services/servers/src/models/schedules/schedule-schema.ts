import { documentSchema } from '@panel/kit/mongo';
import { scheduleFields } from '../../domain/schedules/schedule.js';

/** Shard key: `_id`, hashed. */
export const scheduleSchema = documentSchema(scheduleFields);
scheduleSchema.index({ serverId: 1, slot: 1 }, { name: 'schedule_server_slot', unique: true });
scheduleSchema.index(
  { nextRunAt: 1 },
  { name: 'schedule_next_run', partialFilterExpression: { nextRunAt: { $type: 'date' } } },
);
scheduleSchema.index(
  { 'run.dueAt': 1 },
  { name: 'schedule_run_due', partialFilterExpression: { 'run.dueAt': { $type: 'date' } } },
);
scheduleSchema.index(
  { 'trigger.kind': 1 },
  { name: 'schedule_players', partialFilterExpression: { 'trigger.kind': 'players_empty' } },
);
