import { expect } from 'chai';
import { deviceName } from '../../src/account/device-name.js';
import { eventText } from '../../src/activity/event-text.js';

const id = '75a25bcc-4fa4-4db5-bf49-b9ed8f45c9ca';
const words = {
  maybe: (_key: string, other: string) => other,
  money: ({ amount, currency }: { amount: number; currency: string }) => `${amount / 100} ${currency}`,
};
const text = (properties: Record<string, string>) => eventText({ event: 'happened', properties }, words);

describe('the text of an event', () => {
  it('names what was meant, and its id only where it has no name', () => {
    expect(text({ backup_id: id, name: 'nightly' })).to.equal('happened: nightly');
    expect(text({ backup_id: id })).to.equal(`happened: ${id}`);
    expect(text({ reason: '' })).to.equal('happened');
  });

  it('shows amounts as money', () => {
    expect(text({ amount: '2000', currency: 'EUR', reason: 'thanks' })).to.equal('happened: 20 EUR, thanks');
    expect(text({ amount: '2000' })).to.equal('happened: 2000');
  });
});

describe('the name of a device', () => {
  for (const [userAgent, name] of [
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
      'Chrome 156, Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36 Edg/150.0',
      'Edge 150, Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari 18, iOS',
    ],
    ['Mozilla/5.0 (Android 15; Mobile; rv:152.0) Gecko/152.0 Firefox/152.0', 'Firefox 152, Android'],
    ['curl/8.5.0', 'curl/8.5.0'],
  ] as const)
    it(`calls a device "${name}"`, () => expect(deviceName(userAgent)).to.equal(name));
});
