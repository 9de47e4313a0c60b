import { invalidFields } from '@panel/kit';
import type { ConsoleLine, InstallLine, Operation, Resources } from '@panel/protos/servers';
import type { z } from 'zod';
import type { ErrorResponse } from '../http/error-response.js';
import { fieldMessages } from '../http/field-messages.js';
import { parseJsonObject } from '../http/json-limits.js';
import { presentOperation, presentResources } from '../routes/servers/present.js';
import { clientMessage } from '../routes/servers/console-socket.js';
import { textFrame } from './frame.js';

export type ClientMessage = z.output<typeof clientMessage>;

/** Read a message. Throws BAD_REQUEST or INVALID_FIELDS for anything that is none. */
export function readClientMessage(text: string): ClientMessage {
  const result = clientMessage.safeParse(parseJsonObject(text), { reportInput: true });
  if (result.success) return result.data;
  throw invalidFields(fieldMessages(result.error.issues), 'the message was not understood');
}

/** What the panel says, as frames ready for any number of sockets. */
export const frames = {
  console: ({ text, time }: ConsoleLine): Buffer =>
    textFrame(JSON.stringify({ type: 'console_output', message: text, at: (time ?? new Date()).toISOString() })),
  stats: (usage: Resources): Buffer => textFrame(JSON.stringify({ type: 'stats', ...presentResources(usage) })),
  status: (status: string): Buffer => textFrame(JSON.stringify({ type: 'status', status })),
  install: ({ text, step }: InstallLine): Buffer =>
    textFrame(JSON.stringify({ type: 'install_output', message: text, ...(step === '' ? {} : { step }) })),
  operation: (operation: Operation | undefined): Buffer => {
    const { kind, step, progress } = operation ? presentOperation(operation) : ended;
    return textFrame(JSON.stringify({ type: 'operation', kind, step, progress }));
  },
  error: ({ code, message, details }: ErrorResponse): Buffer =>
    textFrame(JSON.stringify({ type: 'error', code, message, details })),
  tokenExpiring: (expiresAt: number): Buffer =>
    textFrame(JSON.stringify({ type: 'token_expiring', expires_at: new Date(expiresAt).toISOString() })),
};

const ended = { kind: null, step: null, progress: null };
