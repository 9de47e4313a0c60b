import { expect } from 'chai';
import { isTimezone } from '../../src/text/timezone.js';

describe('time zones', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata'])
    it(`accepts the time zone ${name}`, () => expect(isTimezone(name)).to.equal(true));
  for (const name of ['', '+05:30', 'Mars/Olympus', '../etc/passwd', 'A'.repeat(100), 'UTC\n'])
    it(`refuses the time zone ${JSON.stringify(name).slice(0, 30)}`, () => expect(isTimezone(name)).to.equal(false));
});
