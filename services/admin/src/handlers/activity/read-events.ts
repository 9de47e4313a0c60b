import { type FieldMessages, fieldProblem, requireValid } from '@panel/kit/errors';
import { snakeCase } from '@panel/kit/text';
import type { ActivityEvent as ActivityEventMessage } from '@panel/protos/admin';
import { z } from 'zod';
import type { ReceivedEvent } from '../../domain/activity.js';

const maxEvents = 100;
const maxProperties = 20;
const maxUserAgent = 512;

const id = z
  .union([z.literal(''), z.uuid('must be a UUID')], 'must be a UUID or empty')
  .transform((text) => (text === '' ? null : text));

const eventSchema = z.object({
  id: z.uuid('must be a UUID'),
  event: z
    .string()
    .max(100)
    .regex(/^[a-z][a-z0-9-]*(:[a-z0-9-]+(\.[a-z0-9-]+)*)?$/, 'must look like server:power.start'),
  time: z.date().optional(),
  actorId: id,
  apiKeyId: id,
  ip: z.string().max(64, 'must be an address'),
  // Untrusted: excess text must not lose the event.
  userAgent: z.string().transform((text) => text.slice(0, maxUserAgent)),
  userId: id,
  serverId: id,
  properties: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'names are small letters, digits and _'),
      z.string().max(4096, 'must have values of at most 4096 characters'),
    )
    .refine((value) => Object.keys(value).length <= maxProperties, `must have at most ${maxProperties} properties`),
});

/** Throws INVALID_FIELDS naming each invalid one ("events.3.time"). */
export function readEvents(events: readonly ActivityEventMessage[]): ReceivedEvent[] {
  const problems: FieldMessages = {};
  if (events.length === 0 || events.length > maxEvents)
    problems.events = [fieldProblem('out_of_range', `must be 1 to ${maxEvents}`)];
  const checked = events.slice(0, maxEvents).flatMap((event, index) => {
    const result = eventSchema.safeParse(event);
    if (!result.success) {
      for (const { path, message } of result.error.issues) {
        const field = `events.${index}.${path.map((key) => snakeCase(String(key))).join('.')}`;
        (problems[field] ??= []).push(message);
      }
      return [];
    }
    return [result.data];
  });
  requireValid(problems);
  return checked;
}
