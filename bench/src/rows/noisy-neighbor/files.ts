import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { volumeOf } from '../../installation/volumes.js';
import type { Part } from './part.js';

const searched = { files: 4_096, bytes: 64 * 1024, directories: 64 };
const listedFiles = 50_000;
const perPage = 100;
const readBytes = 4 * 1024 * 1024;
const atOnce = 4;

/** All files are read, because none has the text. */
export const contentSearch: Part = {
  name: 'search in the contents of 256 MiB',
  prepare: async ({ installation, customer, serverIds: [id = ''] }) => {
    const root = path.join(volumeOf(installation, id), 'searched');
    const content = Buffer.alloc(searched.bytes, 'the server answered a player of the world\n');
    for (let at = 0; at < searched.files; at++) {
      const directory = path.join(root, `region-${at % searched.directories}`);
      if (at < searched.directories) await mkdir(directory, { recursive: true });
      await writeFile(path.join(directory, `chunk-${at}.txt`), content);
    }
    const query = `directory=${encodeURIComponent('/searched')}&content=${encodeURIComponent('the server answers')}`;
    const request = { path: `/servers/${id}/files/search?${query}` };
    return { act: async (signal) => customer.repeat(atOnce, signal, async () => customer.send(request, signal)) };
  },
};

/** The last page of every order that reads the whole directory. */
export const longListing: Part = {
  name: 'lists of a directory of 50,000 entries',
  prepare: async ({ installation, customer, serverIds: [id = ''] }) => {
    const root = path.join(volumeOf(installation, id), 'listed');
    await mkdir(root);
    for (let at = 0; at < listedFiles; at++) await writeFile(path.join(root, `file-${at}.txt`), '');
    const lastPage = listedFiles / perPage;
    const orders = ['name', '-size', '-modified_at'];
    let sent = 0;
    const next = () => {
      const query = `directory=/listed&per_page=${perPage}&page=${lastPage}&sort=${orders[sent++ % orders.length]}`;
      return { path: `/servers/${id}/files/list?${query}` };
    };
    return { act: async (signal) => customer.repeat(atOnce, signal, async () => customer.send(next(), signal)) };
  },
};

/** Read and written in turn. Control characters take six bytes each in JSON, quotes two. */
export const jsonContents: Part = {
  name: 'contents of 4 MiB as JSON',
  prepare: async ({ installation, customer, serverIds: [id = ''] }) => {
    await writeFile(path.join(volumeOf(installation, id), 'control.txt'), Buffer.alloc(readBytes, 1));
    const read = { path: `/servers/${id}/files/contents?path=/control.txt` };
    const body = { path: '/quotes.txt', content: '"'.repeat(readBytes / 2 - 100) };
    const write = { method: 'PUT', path: `/servers/${id}/files/write`, body };
    let sent = 0;
    const next = () => (sent++ % 2 === 0 ? read : write);
    return { act: async (signal) => customer.repeat(atOnce, signal, async () => customer.send(next(), signal)) };
  },
};
