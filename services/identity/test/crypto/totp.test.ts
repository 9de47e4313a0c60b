import { expect } from 'chai';
import { generateTotpSecret, matchTotpStep, otpauthUrl, totpCode, totpStep } from '../../src/crypto/totp.js';

// "12345678901234567890" in base32: secret of RFC 6238, appendix B.
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('TOTP', () => {
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ];
  for (const [seconds, code] of vectors) {
    it(`gives the code of RFC 6238 at ${seconds} s`, () => {
      const at = new Date(seconds * 1000);
      expect(totpCode(rfcSecret, totpStep(at), 8)).to.equal(code);
      expect(matchTotpStep(rfcSecret, code.slice(2), at)).to.equal(totpStep(at));
    });
  }

  it('accepts the previous, current and next step only', () => {
    const at = new Date(1_700_000_000_000);
    const step = totpStep(at);
    for (const drift of [-1, 0, 1])
      expect(matchTotpStep(rfcSecret, totpCode(rfcSecret, step + drift), at)).to.equal(step + drift);
    for (const drift of [-3, -2, 2, 3])
      expect(matchTotpStep(rfcSecret, totpCode(rfcSecret, step + drift), at)).to.be.null;
  });

  it('accepts six ASCII digits only', () => {
    const at = new Date(59_000);
    const fullWidth = '287082'.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
    for (const text of [
      '',
      '0',
      '28708',
      '2870821',
      ' 287082',
      '287082 ',
      '287082\n',
      fullWidth,
      '1e5',
      '-87082',
      '0x1234',
    ])
      expect(matchTotpStep(rfcSecret, text, at), JSON.stringify(text)).to.be.null;
    expect(matchTotpStep(rfcSecret, '287082', at)).to.equal(1);
  });

  it('generates distinct secrets of 160 bits', () => {
    const secrets = new Set(Array.from({ length: 100 }, generateTotpSecret));
    expect(secrets.size).to.equal(100);
    for (const secret of secrets) expect(secret).to.match(/^[A-Z2-7]{32}$/);
  });

  it('escapes names in the otpauth address', () => {
    const url = new URL(otpauthUrl({ secret: rfcSecret, account: 'a+b@example.org', issuer: 'My Panel & <co>' }));
    expect(decodeURIComponent(url.pathname)).to.equal('/My Panel & <co>:a+b@example.org');
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      secret: rfcSecret,
      issuer: 'My Panel & <co>',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
