import { ApiError, isRecord } from './errors.js';

export interface Tokens {
  readonly token: string;
  readonly expiresAt: number;
}

export type Announcement = { readonly type: 'token'; readonly tokens: Tokens } | { readonly type: 'signed-out' };

/** Name of the lock for renewals and of the channel for announcements. */
export const sessionName = 'panel-session';
/** A cookie may exist; without this no request is sent. */
export const hintKey = 'panel-signed-in';

/** They require proof of a same-origin page. */
export async function post(action: string, body: object, token?: string): Promise<Record<string, unknown>> {
  const response = await fetch(`/api/v1/browser/${action}`, {
    method: 'POST',
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-panel-console': '1',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const answer = parse(text);
  if (!response.ok) throw ApiError.from(response, answer);
  return isRecord(answer) && isRecord(answer.data) ? answer.data : {};
}

export function tokensOf(data: Record<string, unknown>): Tokens {
  return { token: String(data.access_token), expiresAt: Date.now() + Number(data.expires_in) * 1000 };
}

function parse(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
