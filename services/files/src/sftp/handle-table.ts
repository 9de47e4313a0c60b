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

export class HandleTable {
  readonly #handles = new Map<string, OpenHandle>();
  readonly #max: number;
  #last = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Throws BUSY. */
  requireRoom(): void {
    if (this.#handles.size >= this.#max) throw fail('BUSY', `a session may have ${this.#max} files open`);
  }

  add(handle: OpenHandle): Buffer {
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
    return handle;
  }

  /** The caller closes them. */
  takeAll(): OpenHandle[] {
    const all = [...this.#handles.values()];
    this.#handles.clear();
    return all;
  }
}
