import { closeSync, existsSync, openSync } from 'node:fs';
import { setImmediate as tick } from 'node:timers/promises';
import { expect } from 'chai';
import { createLogger } from '../../src/process/logger.js';

describe('the logger on a full disk', () => {
  it('drops lines without an error', async function () {
    if (!existsSync('/dev/full')) this.skip();
    const fd = openSync('/dev/full', 'w');
    try {
      const log = createLogger({ service: 'test', level: 'info', fd });
      for (let line = 0; line < 10_000; line++) log.info({ text: 'x'.repeat(1_000) }, 'a line');
      await tick();
      expect(process.memoryUsage().heapUsed).to.be.below(500 * 1024 * 1024);
    } finally {
      closeSync(fd);
    }
  });
});
