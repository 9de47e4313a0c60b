import type { OpenFile } from '../jail/open-file.js';
import { fail } from '../reasons.js';
import type { NamedStats } from './entries.js';
import type { FileWriter } from './file-writer.js';

export type OpenHandle =
  | {
      readonly kind: 'file';
      readonly file: OpenFile;
      readonly writer: FileWriter | null;
      readonly isReadable: boolean;
      readonly isAppend: boolean;
      readonly path: string;
      readonly isNew: boolean;
    }
  | { readonly kind: 'directory'; readonly batches: AsyncGenerator<NamedStats[]> };

/** Of all connections of a user. */
interface UserPlaces {
  /** Throws BUSY. */
  enter(): void;
  leave(): void;
}

export class HandleTable {
  readonly #handles = new Map<string, OpenHandle>();
  readonly #max: number;
  readonly #places: UserPlaces;
  #last = 0;
  #opening = 0;

  constructor(max: number, places: UserPlaces) {
    this.#max = max;
    this.#places = places;
  }

  /** Takes a place first: parallel openings count. Throws BUSY, and what `work` throws. */
  async open(work: () => Promise<OpenHandle>): Promise<Buffer> {
    if (this.#handles.size + this.#opening >= this.#max) {
      throw fail('BUSY', `a session may have ${this.#max} files open`);
    }
    this.#places.enter();
    this.#opening += 1;
    try {
      return this.#add(await work());
    } catch (error) {
      this.#places.leave();
      throw error;
    } finally {
      this.#opening -= 1;
    }
  }

  #add(handle: OpenHandle): Buffer {
    this.#last += 1;
    const name = Buffer.alloc(4);
    name.writeUInt32BE(this.#last);
    this.#handles.set(name.toString('latin1'), handle);
    return name;
  }

  /** Throws SFTP_HANDLE_UNKNOWN. */
  get(name: string): OpenHandle {
    const handle = this.#handles.get(name);
    if (!handle) throw fail('SFTP_HANDLE_UNKNOWN', 'there is no such handle');
    return handle;
  }

  file(name: string): OpenHandle & { readonly kind: 'file' } {
    const handle = this.get(name);
    if (handle.kind === 'file') return handle;
    throw fail('SFTP_HANDLE_UNKNOWN', 'this handle is of a directory');
  }

  /** The caller closes it. */
  take(name: string): OpenHandle {
    const handle = this.get(name);
    this.#handles.delete(name);
    this.#places.leave();
    return handle;
  }

  /** The caller closes them. */
  takeAll(): OpenHandle[] {
    const all = [...this.#handles.values()];
    this.#handles.clear();
    for (const _ of all) this.#places.leave();
    return all;
  }
}
