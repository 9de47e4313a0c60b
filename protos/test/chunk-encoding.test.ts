import { BackupServiceService, FileServiceService, ReadFileResponse, WriteFileRequest } from '@panel/protos/files';
import { expect } from 'chai';
import { DownloadBackupResponse, ExchangeUploadRequest } from '../src/files.js';

const { readFile, writeFile, exchangeUpload } = FileServiceService;
const { downloadBackup } = BackupServiceService;
const sizes = [0, 1, 127, 128, 4095, 4096, 16_383, 16_384, 262_144, 2_097_152];

describe('encoding of chunks', () => {
  it('encodes chunks of any size as the generated code does', () => {
    for (const size of sizes) {
      const value = Buffer.alloc(size, 'chunk');
      const part = { $case: 'chunk', value } as const;
      const cases = [
        [readFile.responseSerialize({ part }), ReadFileResponse],
        [writeFile.requestSerialize({ part }), WriteFileRequest],
        [exchangeUpload.requestSerialize({ part }), ExchangeUploadRequest],
        [downloadBackup.responseSerialize({ part }), DownloadBackupResponse],
      ] as const;
      for (const [encoded, type] of cases) {
        expect(encoded.equals(Buffer.from(type.encode({ part }).finish())), `${size} bytes`).to.equal(true);
        expect(type.decode(encoded).part).to.deep.equal(part);
      }
      expect(readFile.responseDeserialize(cases[0][0]).part).to.deep.equal(part);
      expect(writeFile.requestDeserialize(cases[1][0]).part).to.deep.equal(part);
      expect(exchangeUpload.requestDeserialize(cases[2][0]).part).to.deep.equal(part);
      expect(downloadBackup.responseDeserialize(cases[3][0]).part).to.deep.equal(part);
    }
  });

  it('leaves other messages, and chunks with something behind them, to the generated code', () => {
    const finish = { $case: 'finish', value: { sizeBytes: 5 } } as const;
    expect(writeFile.requestDeserialize(writeFile.requestSerialize({ part: finish })).part).to.deep.equal(finish);
    const chunk = writeFile.requestSerialize({ part: { $case: 'chunk', value: Buffer.alloc(5_000) } });
    const both = Buffer.concat([chunk, writeFile.requestSerialize({ part: finish })]);
    expect(writeFile.requestDeserialize(both).part).to.deep.equal(WriteFileRequest.decode(both).part);
    const cut = chunk.subarray(0, -1);
    expect(() => writeFile.requestDeserialize(cut)).to.throw();
  });
});
