import { isAppError } from '@panel/kit/errors';
import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { writeConditionOf } from '../../src/routes/files/entity-tag.js';

describe('If-Match of a write', () => {
  const conditionOf = async (header: string) =>
    writeConditionOf(async () => Promise.reject(new Error('no file is read')), '/a', header, {});

  it('takes one SHA-256 without reading the file', async () => {
    const sha256 = 'ab'.repeat(32);
    for (const header of [sha256, `"${sha256.toUpperCase()}"`, ` , ${sha256} ,,`])
      expect(await conditionOf(header), header).to.deep.equal({ ifMatchSha256: sha256, mustExist: true });
  });

  it('refuses what is no list of tags within the time that its length needs', async () => {
    const began = processorMs();
    for (const header of [`a,${' '.repeat(16_000)}"`, '"'.repeat(15_999), `W/${' '.repeat(16_000)}"x`]) {
      const error: unknown = await conditionOf(header).catch((caught: unknown) => caught);
      expect(isAppError(error, 'INVALID_FIELDS'), header.slice(0, 5)).to.equal(true);
    }
    expect(processorMs() - began).to.be.below(100);
  });
});
