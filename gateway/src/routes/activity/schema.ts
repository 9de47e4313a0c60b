import { z } from 'zod';
import { time } from '../../declaration/present.js';

export const activityEvent = z
  .strictObject({
    id: z.uuid(),
    event: z.string().describe('area and verb, like auth:success or server:power.start'),
    at: time.nullable(),
    actor_id: z.uuid().nullable().describe('who did it; null when nobody is known, or the panel itself'),
    actor_username: z.string().nullable().describe('their user name; null also when the user was deleted'),
    api_key_id: z.uuid().nullable(),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    user_id: z.uuid().nullable().describe('whose account it is about'),
    server_id: z.uuid().nullable(),
    properties: z.record(z.string(), z.string()),
  })
  .meta({ id: 'ActivityEvent' });
