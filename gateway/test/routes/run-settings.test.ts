import { expect } from 'chai';
import { runSettings } from '../../src/routes/admin-servers/resource.js';

describe('run settings in a body', () => {
  const given = { auto_start: 'always', timezone: null, oom_disabled: false, stop_grace: null };
  const accepts = (threads: unknown) => runSettings.createBody.safeParse({ ...given, threads }).success;

  it('names processors as the service takes them', () => {
    for (const fine of ['0', '0-3', '0-3,6', '0-3, 6', '1023', null])
      expect(accepts(fine), String(fine)).to.equal(true);
    for (const wrong of ['', '3-0', '1024', '0-', 'all', '0;6', '0,'.repeat(100)])
      expect(accepts(wrong), wrong).to.equal(false);
  });
});
