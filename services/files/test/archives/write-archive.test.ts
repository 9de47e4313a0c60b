import { expect } from 'chai';
import { writeArchive } from '../../src/archives/write-archive.js';

describe('archives that are written', () => {
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
      // listeners that pile up with every chunk
      expect(warnings.map(({ name }) => name)).to.deep.equal([]);
    });
  }
});
