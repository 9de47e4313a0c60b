import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type ArchiveItem, writeArchive } from '../../src/archives/write-archive.js';

const fileItem = (name: string, more: Partial<ArchiveItem> = {}): ArchiveItem => ({
  name,
  kind: 'file',
  mode: 0o644,
  modifiedAt: new Date(),
  sizeBytes: 1024 * 1024,
  content: async function* () {
    yield Buffer.alloc(1024 * 1024, name);
  },
  ...more,
});

describe('archives that are written', () => {
  for (const format of ['tar', 'tar.gz', 'tar.xz', 'zip'] as const) {
    it(`ends the walk through the files when its reader stops (${format})`, async () => {
      let isOpen = false;
      const items = async function* () {
        try {
          for (let i = 0; i < 1_000; i += 1) {
            isOpen = true;
            yield fileItem(`f${i}`);
          }
        } finally {
          isOpen = false;
        }
      };
      for await (const part of writeArchive(format, items(), new AbortController().signal)) {
        if (part.length > 0) break;
      }
      await waitUntil('the walk to end', async () => !isOpen);
    });
  }

  for (const [date, written] of [
    ['1960-01-01', '1970-01-01'],
    ['2026-01-01', '2026-01-01'],
    ['2100-01-01', '2038-01-19'],
  ] as const) {
    it(`writes a time that a tar can hold for ${date}`, async () => {
      const items = async function* () {
        yield fileItem('f', { modifiedAt: new Date(date) });
      };
      const parts: Buffer[] = [];
      for await (const part of writeArchive('tar', items(), new AbortController().signal)) parts.push(part);
      const seconds = Number.parseInt(Buffer.concat(parts).toString('latin1', 136, 147), 8);
      expect(new Date(seconds * 1000).toISOString().slice(0, 10)).to.equal(written);
    });
  }

  for (const format of ['tar', 'zip'] as const) {
    it(`takes no more memory for a larger file (${format})`, async () => {
      const chunks = 100;
      const chunk = Buffer.alloc(256 * 1024, 7);
      const items = async function* () {
        const content = async function* () {
          for (let i = 0; i < chunks; i += 1) yield chunk;
        };
        const sizeBytes = chunks * chunk.length;
        yield { name: 'a', kind: 'file', mode: 0o644, modifiedAt: new Date(), sizeBytes, content } as const;
      };
      const warnings: Error[] = [];
      const note = (warning: Error) => void warnings.push(warning);
      process.on('warning', note);
      try {
        let bytes = 0;
        for await (const part of writeArchive(format, items(), new AbortController().signal)) bytes += part.length;
        expect(bytes).to.be.greaterThan(0);
        await new Promise((resolve) => setImmediate(resolve));
      } finally {
        process.off('warning', note);
      }
      // listeners that accumulate per chunk
      expect(warnings.map(({ name }) => name)).to.deep.equal([]);
    });
  }
});
