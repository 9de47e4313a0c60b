import { ConsoleServiceService } from '@panel/protos/servers';
import { z } from 'zod';
import { yesOrNo } from '../../declaration/list-query.js';
import { required, time } from '../../declaration/present.js';
import { one, route, type Route, server } from '../../declaration/route.js';

const consoleLines = z
  .strictObject({
    lines: z
      .array(z.strictObject({ seq: z.int().describe('number of the line'), message: z.string(), at: time }))
      .describe('oldest first'),
    has_more: z.boolean().describe('whether there may be older lines'),
  })
  .meta({ id: 'ConsoleLines' });

const lineNumber = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a line number')
  .transform(Number)
  .optional()
  .meta({ description: 'a `seq`; the newest lines without it', type: 'integer', minimum: 1, pattern: undefined });

const limit = z
  .string()
  .regex(/^([1-9]\d{0,2}|1000)$/, 'must be from 1 to 1000')
  .transform(Number)
  .optional()
  .meta({ description: '200 without it', type: 'integer', minimum: 1, maximum: 1000, pattern: undefined });

const whole = yesOrNo.optional().describe('true: the one line before `before`, cut at 1 MiB instead of 8 KiB');

export const consoleRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/servers/{id}/console',
    summary: 'Lines of the console before a known one',
    access: server(ConsoleServiceService.listConsoleLines),
    rate: 'general',
    query: z.object({ before: lineNumber, limit, whole }),
    response: one(consoleLines),
    handler: async ({ params, query, services, rpc }) => {
      const { before: beforeSequence, whole: isWhole = false } = query;
      const limit = query.limit ?? (isWhole ? 1 : 200);
      const request = { serverId: params.id, beforeSequence, limit, isWhole };
      const { lines, hasMore } = await services.console.listConsoleLines(request, rpc);
      return {
        lines: lines.map((line) => ({
          seq: line.sequence,
          message: line.text,
          at: required(line.time, 'time').toISOString(),
        })),
        has_more: hasMore,
      };
    },
  }),
];
