import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { checkProfile, vatNumberProblems } from '../../src/domain/check-profile.js';
import { isVatNumber, vatCountry } from '../../src/domain/vat-number.js';

/** One of each, with right check digits. */
const numbers =
  'ATU13585627 BE0428759497 BG175074752 CY10259033P CZ25123891 DE136695976 DK13585628 EE100931558 EL094259216 ESB58378431 FI20774740 FR40303265045 HR33392005961 HU12892312 IE6433435F IT00743110157 LT119511515 LU15027442 LV40003521600 MT11679112 NL004495445B01 PL8567346215 PT501964843 RO18547290 SE123456789701 SI50223054 SK2022749619 XI980780684';

describe('VAT numbers', () => {
  for (const number of numbers.split(' ')) {
    it(`takes ${number}, and not with another digit or length`, () => {
      expect(isVatNumber(number)).to.equal(true);
      const at = number.search(/\d(?=\D*$)/);
      const digit = String((Number(number[at]) + 1) % 10);
      const wrong = [number.slice(0, at) + digit + number.slice(at + 1), `${number}99999`, number.slice(0, 3)];
      // a Dutch number ends with the count of the registration
      for (const text of wrong.slice(number.startsWith('NL') ? 1 : 0)) expect(isVatNumber(text), text).to.equal(false);
    });
  }

  it('only looks at the form of those of other countries', () => {
    expect(isVatNumber('CHE123456789MWST')).to.equal(true);
    expect(isVatNumber('CH')).to.equal(false);
    expect(isVatNumber('12345')).to.equal(false);
  });

  it('knows the country of a number', () => {
    const cases = ['DE136695976', 'EL094259216', 'XI980780684', 'GB980780684', 'CHE123456789', ''];
    expect(cases.map(vatCountry)).to.deep.equal(['DE', 'GR', 'GB', null, null, null]);
  });

  it('writes a number in a profile without spaces and dots, and Greece as GR', () => {
    const given = { vatNumber: 'el 094.259-216', country: 'EL' };
    expect(checkProfile(given)).to.deep.equal({ vatNumber: 'EL094259216', country: 'GR' });
    expect(checkProfile({ vatNumber: '' })).to.deep.equal({ vatNumber: '' });
  });

  it('refuses a number with a wrong check digit, naming it', () => {
    try {
      checkProfile({ vatNumber: 'DE136695977' });
      expect.fail('it was taken');
    } catch (error) {
      if (!isAppError(error, 'INVALID_FIELDS')) throw error;
      expect(error.metadata.fields).to.deep.equal({ vat_number: ['must be a VAT number like DE136695976'] });
    }
  });

  it('refuses a code of no country, which would not be taxed', () => {
    for (const country of ['ZZ', 'EU', 'UK', 'de', 'D']) {
      expect(() => checkProfile({ country }), country).to.throw();
    }
    for (const country of ['', 'DE', 'US', 'XI', 'XK']) expect(checkProfile({ country })).to.deep.equal({ country });
  });

  for (const [country, vatNumber, isRefused] of [
    ['DE', 'DE136695976', false],
    ['GR', 'EL094259216', false],
    ['GB', 'XI980780684', false],
    ['US', '', false],
    ['US', 'CHE123456789', false],
    ['', 'DE136695976', true],
    ['AT', 'DE136695976', true],
    ['US', 'DE136695976', true],
    ['DE', 'XI980780684', true],
  ] as const) {
    it(`${isRefused ? 'refuses' : 'takes'} «${vatNumber}» of «${country}»`, () => {
      expect(Object.keys(vatNumberProblems({ country, vatNumber }))).to.deep.equal(isRefused ? ['vat_number'] : []);
    });
  }
});
