import type { FileOperation } from '@panel/protos/files';
import { ServerOperation, ServerOperation_Kind, ServerOperation_State } from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { isoTimeOf } from '../../declaration/present.js';
import { resource } from '../../declaration/resource.js';
import { fileOperation } from '../files/operation-resource.js';
import { powerAction } from './resource.js';

export const serverOperation = resource(ServerOperation, '', {
  id: is.uuid('id'),
  kind: is.word('kind', ServerOperation_Kind),
  action: is.computed(
    powerAction.shown.schema.nullable().describe('of a power action'),
    ({ kind, action: given }: ServerOperation) =>
      kind === ServerOperation_Kind.POWER ? powerAction.show(given) : null,
  ),
  state: is.word('state', ServerOperation_State, {
    about: 'superseded: a kill, a suspension or a deletion came before the end of a power action',
  }),
  error: is.failureOrNull('error', 'why it failed'),
  started_at: is.time('startTime'),
  ended_at: is.timeOrNull('endTime'),
});

/** Of a server, or of its files. */
export const anyOperation = serverOperation.schema
  .extend({
    kind: z
      .enum([...serverOperation.schema.shape.kind.options, ...fileOperation.schema.shape.kind.options])
      .describe('power, what a server shows as its `operation`, or an archive or download'),
  })
  .meta({ id: 'ServerOperation' });

export function presentFileOperation(operation: FileOperation): z.input<typeof anyOperation> {
  const { id, kind, status, error, ended_at } = fileOperation.present(operation);
  return {
    id,
    kind,
    action: null,
    state: status === 'running' ? 'in_progress' : status,
    error: error?.message ?? null,
    started_at: isoTimeOf(operation.startTime),
    ended_at,
  };
}
