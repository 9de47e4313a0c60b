import type { PanelClient } from '@panel/client';
import { ApiError } from '../api/errors.js';

/** A file as the editor can show it: a text, or why there is none. */
export type FileContents =
  | { readonly kind: 'text'; readonly content: string; readonly sha256: string }
  | { readonly kind: 'binary'; readonly sha256: string }
  /** Over 4 MiB; `sha256` is `*`, any version, where the panel has not named it. */
  | { readonly kind: 'large'; readonly sha256: string };

interface FilePlace {
  readonly id: string;
  readonly path: string;
}

/** Throws ApiError. */
export async function readContents(client: PanelClient, { id, path }: FilePlace): Promise<FileContents> {
  try {
    const { data } = await client.get('/servers/{id}/files/contents', { params: { id }, query: { path } });
    const { content, sha256, encoding } = data;
    return encoding === 'utf-8' ? { kind: 'text', content, sha256 } : { kind: 'binary', sha256 };
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return { kind: 'large', sha256: '*' };
    throw error;
  }
}

/** The version because of which a write was refused. Null: it was refused for another reason. */
export function refusingVersion(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.status !== 409) return null;
  const { sha256 } = error.details;
  return typeof sha256 === 'string' ? sha256 : null;
}
