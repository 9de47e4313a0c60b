import { expect } from 'chai';
import { modeBits, modeText } from '../../src/domain/mode.js';

describe('file mode', () => {
  for (const [mode, text, bits] of [
    [0o100644, '-rw-r--r--', '644'],
    [0o100755, '-rwxr-xr-x', '755'],
    [0o100000, '----------', '000'],
    [0o040750, 'drwxr-x---', '750'],
    [0o120777, 'lrwxrwxrwx', '777'],
    [0o010600, 'prw-------', '600'],
    [0o140755, 'srwxr-xr-x', '755'],
    [0o020666, 'crw-rw-rw-', '666'],
    [0o060660, 'brw-rw----', '660'],
    [0o104755, '-rwsr-xr-x', '4755'],
    [0o102644, '-rw-r-Sr--', '2644'],
    [0o041777, 'drwxrwxrwt', '1777'],
    [0o041776, 'drwxrwxrwT', '1776'],
  ] as const) {
    it(`renders the mode ${mode.toString(8)} as ${text}, ${bits}`, () => {
      expect(modeText(mode)).to.equal(text);
      expect(modeBits(mode)).to.equal(bits);
    });
  }
});
