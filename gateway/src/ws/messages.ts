import type { ConsoleLine, FeatureNotice, InstallLine, Operation, Resources } from '@panel/protos/servers';
import type { z } from 'zod';
import { type AppError, invalidFields, issueMessages } from '@panel/kit/errors';
import { errorBody, type ErrorResponse } from '@panel/rpc';
import { parseJsonObject } from '../http/json-limits.js';
import { operation, resources } from '../routes/servers/resource.js';
import { clientMessage } from '../routes/servers/console-socket.js';
import { textFrame } from './frame.js';

export type ClientMessage = z.output<typeof clientMessage>;

/** `ref`: if sent by the client. */
export type ReadMessage =
  | { readonly kind: 'valid'; readonly message: ClientMessage; readonly ref: string | null }
  | { readonly kind: 'malformed'; readonly error: AppError; readonly ref: string | null };

/** Throws BAD_REQUEST for anything but a JSON object. */
export function readClientMessage(text: string): ReadMessage {
  const value = parseJsonObject(text);
  const ref = typeof value['ref'] === 'string' && value['ref'].length <= 64 ? value['ref'] : null;
  const result = clientMessage.safeParse(value, { reportInput: true });
  if (result.success) return { kind: 'valid', message: result.data, ref };
  const error = invalidFields(issueMessages(result.error.issues), 'the message is not valid');
  return { kind: 'malformed', error, ref };
}

/** Frames shared by any number of sockets. */
export const frames = {
  console: ({ text, time, sequence, isPartial, isRedrawn }: ConsoleLine): Buffer => {
    const at = (time ?? new Date()).toISOString();
    const marks = { ...(isPartial && { partial: true }), ...(isRedrawn && { redrawn: true }) };
    return textFrame(JSON.stringify({ type: 'console_output', message: text, at, seq: sequence || null, ...marks }));
  },
  stats: (usage: Resources): Buffer => textFrame(JSON.stringify({ type: 'stats', ...resources.present(usage) })),
  status: (status: string): Buffer => textFrame(JSON.stringify({ type: 'status', status })),
  install: ({ text, step }: InstallLine): Buffer =>
    textFrame(JSON.stringify({ type: 'install_output', message: text, ...(step === '' ? {} : { step }) })),
  feature: ({ feature, line, dockerImage, javaVersion }: FeatureNotice): Buffer => {
    const message = { type: 'feature', feature, line, docker_image: dockerImage || null };
    return textFrame(JSON.stringify({ ...message, java_version: javaVersion || null }));
  },
  featureResolved: (feature: string): Buffer => textFrame(JSON.stringify({ type: 'feature_resolved', feature })),
  operation: (current: Operation | undefined): Buffer => {
    const { kind, step, progress } = current ? operation.present(current) : ended;
    return textFrame(JSON.stringify({ type: 'operation', kind, step, progress }));
  },
  error: (response: ErrorResponse, ref: string | null): Buffer =>
    textFrame(JSON.stringify({ type: 'error', ...errorBody(response).error, ref })),
  accepted: (operationId: string | null, ref: string): Buffer =>
    textFrame(JSON.stringify({ type: 'accepted', operation_id: operationId, ref })),
  authenticated: (expiresAt: number, ref: string | null): Buffer => {
    const expires = Number.isFinite(expiresAt) ? new Date(expiresAt).toISOString() : null;
    return textFrame(JSON.stringify({ type: 'authenticated', expires_at: expires, ref }));
  },
  tokenExpiring: (expiresAt: number): Buffer =>
    textFrame(JSON.stringify({ type: 'token_expiring', expires_at: new Date(expiresAt).toISOString() })),
};

const ended = { kind: null, step: null, progress: null };
