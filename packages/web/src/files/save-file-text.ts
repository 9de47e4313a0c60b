import { nameOf, parentOf } from './paths.js';
import type { PieceSize } from './piece-size.js';
import { type PieceSender, ResumableUpload } from './resumable-upload.js';

export interface TextToSave {
  readonly serverId: string;
  readonly path: string;
  readonly content: string;
  /** Of the version that it replaces. */
  readonly ifMatch: string;
}

interface SaveOptions {
  /** In one request; returns the SHA-256. */
  readonly write: (text: TextToSave) => Promise<string>;
  readonly sender: PieceSender;
  readonly pieces: PieceSize;
}

/** The editor has the text: a reload starts over. */
const noMemory = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };

/** In one request, or in pieces where a proxy refuses that. Returns the SHA-256. Throws as `ResumableUpload.send`. */
export async function saveFileText(text: TextToSave, { write, sender, pieces }: SaveOptions): Promise<string> {
  const body = new Blob([text.content]);
  const sha256 = await pieces.sendWhole(body.size, async () => write(text));
  if (sha256 !== null) return sha256;
  const { serverId, path, ifMatch } = text;
  const place = { serverId, directory: parentOf(path), name: nameOf(path), ifMatch };
  const upload = new ResumableUpload(place, body, pieces, noMemory);
  try {
    await upload.send(sender, () => undefined);
  } catch (error) {
    // Remains without an answer expire.
    await upload.end(sender).catch(() => undefined);
    throw error;
  }
  return sha256Of(body);
}

async function sha256Of(body: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await body.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
