import { ConsoleServiceService } from '@panel/protos/servers';
import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { server } from '../../declaration/route.js';
import { consoleCommand, powerActions, powerStates, resources } from './schema.js';

/** What a client may say on a console socket. */
export const clientMessage = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('command'), command: consoleCommand.describe('one line') }),
    z.strictObject({ type: z.literal('power'), action: z.enum(powerActions) }),
    z.strictObject({
      type: z.literal('auth'),
      token: z.string().min(1).max(4096).describe('takes the place of the first'),
    }),
  ])
  .meta({ id: 'ConsoleRequest' });

/** What the panel says on one. */
export const serverMessage = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('console_output'), message: z.string().describe('one line'), at: time }),
    z.strictObject({ type: z.literal('stats'), ...resources.shape }),
    z.strictObject({ type: z.literal('status'), status: z.enum(powerStates) }),
    z.strictObject({ type: z.literal('install_output'), message: z.string(), step: z.string().optional() }),
    z.strictObject({
      type: z.literal('operation'),
      kind: z.string().nullable().describe('null: it has ended'),
      step: z.string().nullable(),
      progress: z.int().nullable().describe('0 to 100'),
    }),
    z.strictObject({
      type: z.literal('error'),
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
    z.strictObject({ type: z.literal('token_expiring'), expires_at: time }),
  ])
  .meta({ id: 'ConsoleMessage' });

/** The console socket as an endpoint, all but its work. */
export const consoleEndpoint = {
  method: 'GET',
  path: '/api/v1/servers/{id}/ws',
  summary: 'The console: an upgrade to a WebSocket',
  access: server(ConsoleServiceService.watchServer),
  rate: 'general',
  response: { kind: 'socket', sends: serverMessage, receives: clientMessage },
} as const;
