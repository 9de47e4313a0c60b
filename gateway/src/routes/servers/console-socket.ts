import { ConsoleServiceService } from '@panel/protos/servers';
import { z } from 'zod';
import { time } from '../../declaration/present.js';
import { server } from '../../declaration/route.js';
import { featureNames, consoleCommand, operation, powerAction, powerState, resources } from './resource.js';

const ref = z.string().min(1).max(64).optional().describe('echoed in the response to this message');

/** From clients. */
export const clientMessage = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('command'), command: consoleCommand.describe('one line'), ref }),
      z.strictObject({ type: z.literal('power'), action: powerAction.shown.schema, ref }),
      z.strictObject({
        type: z.literal('auth'),
        token: z.string().min(1).max(4096).describe('a new access token of the same user; replaces the current one'),
        ref,
      }),
    ],
    { error: ({ code }) => (code === 'invalid_union' ? 'must be command, power or auth' : undefined) },
  )
  .meta({ id: 'ConsoleRequest' });

const answeredRef = z.string().nullable().describe('of the message that is answered; null when it had none');

/** From the panel. */
export const serverMessage = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('console_output'),
      message: z.string().describe('one line'),
      at: time,
      seq: z
        .int()
        .nullable()
        .describe('number of the line; null for a notice of the panel, a partial and a redrawn line'),
      partial: z
        .literal(true)
        .optional()
        .describe('a line without an end yet; the next with a `seq` is the rest of it'),
      redrawn: z
        .literal(true)
        .optional()
        .describe('what a progress bar shows now: in the place of the last one, until the next line of the game'),
    }),
    z.strictObject({ type: z.literal('stats'), ...resources.schema.shape }),
    z.strictObject({ type: z.literal('status'), status: powerState.shown.schema }),
    z.strictObject({ type: z.literal('install_output'), message: z.string(), step: z.string().optional() }),
    z.strictObject({
      type: z.literal('operation'),
      kind: z.enum(operation.schema.shape.kind.options).nullable().describe('null: the operation has ended'),
      step: z.string().nullable(),
      progress: z.int().nullable().describe('0 to 100'),
    }),
    z.strictObject({
      type: z.literal('feature').describe('the game asks for something: POST …/features does it'),
      feature: z.enum(featureNames),
      line: z.string().describe('what the game wrote'),
      docker_image: z.string().nullable().describe('of java_version: the image of the egg that fits'),
      java_version: z.int().nullable().describe('of java_version: what the game needs'),
    }),
    z.strictObject({
      type: z.literal('feature_resolved').describe('what the game requested is done'),
      feature: z.enum(featureNames),
    }),
    z.strictObject({
      type: z.literal('error'),
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
      reasons: z
        .record(z.string(), z.array(z.string()))
        .optional()
        .describe('of a validation error: by field, as details'),
      ref: answeredRef,
    }),
    z.strictObject({
      type: z.literal('authenticated'),
      expires_at: time.nullable().describe('when the new token expires'),
      ref: answeredRef,
    }),
    z.strictObject({
      type: z.literal('accepted').describe('answers a command or power action that had a `ref`'),
      operation_id: z.uuid().nullable().describe('of a power action; null for a command'),
      ref: z.string(),
    }),
    z.strictObject({ type: z.literal('token_expiring'), expires_at: time }),
  ])
  .meta({ id: 'ConsoleMessage' });

/** `after`: for reconnecting clients. */
const consoleQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a line number')
    .transform(Number)
    .optional()
    .meta({ description: 'send only lines after this `seq`', type: 'integer', minimum: 0, pattern: undefined }),
});

/** Declared without its handler. */
export const consoleEndpoint = {
  method: 'GET',
  path: '/api/v1/servers/{id}/ws',
  summary: 'The console: an upgrade to a WebSocket',
  access: server(ConsoleServiceService.watchServer),
  rate: 'general',
  query: consoleQuery,
  response: { kind: 'socket', sends: serverMessage, receives: clientMessage },
} as const;
