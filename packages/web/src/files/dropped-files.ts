import type { TarEntry } from './tar.js';

export interface Dropped {
  readonly files: readonly File[];
  readonly folders: readonly { readonly name: string; readonly entries: readonly TarEntry[] }[];
}

/** Walks dropped directories without reading their files. */
export async function readDrop(items: DataTransferItemList): Promise<Dropped> {
  // The list is emptied after the event.
  const roots = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files: File[] = [];
  const folders: { name: string; entries: TarEntry[] }[] = [];
  for (const root of roots) {
    if (isFile(root)) files.push(await fileOf(root));
    else {
      const entries: TarEntry[] = [];
      await walk(root as FileSystemDirectoryEntry, root.name, entries);
      folders.push({ name: root.name, entries });
    }
  }
  return { files, folders };
}

/** Files of an input with `webkitdirectory`. */
export function readFolderInput(list: FileList): Dropped {
  const entries = [...list].map((file) => ({ path: file.webkitRelativePath, file, modifiedAt: file.lastModified }));
  const name = entries[0]?.path.split('/')[0] ?? 'folder';
  return { files: [], folders: entries.length > 0 ? [{ name, entries }] : [] };
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

async function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function walk(directory: FileSystemDirectoryEntry, path: string, entries: TarEntry[]): Promise<void> {
  const reader = directory.createReader();
  for (;;) {
    // At most a hundred at a time.
    const found = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (found.length === 0) return;
    for (const entry of found) {
      const entryPath = `${path}/${entry.name}`;
      if (isFile(entry)) {
        const file = await fileOf(entry);
        entries.push({ path: entryPath, file, modifiedAt: file.lastModified });
      } else await walk(entry as FileSystemDirectoryEntry, entryPath, entries);
    }
  }
}
