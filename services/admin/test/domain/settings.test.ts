import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { checkChanges, checkCrossFieldRules, withChanges } from '../../src/domain/setting-changes.js';
import { skr03 } from '../../src/domain/datev-settings.js';
import { completeSettings, type SettingsInput, settingPaths } from '../../src/domain/settings.js';

describe('settings', () => {
  const problemsOf = (given: SettingsInput) => {
    try {
      checkChanges(given);
      return null;
    } catch (error) {
      if (isAppError(error, 'INVALID_FIELDS')) return error.metadata.fields;
      throw error;
    }
  };

  it('starts with valid settings', () => {
    const initial = completeSettings({});
    for (const { path, setting } of settingPaths()) {
      expect(setting.schema.safeParse(setting.initial).success, path).to.equal(true);
    }
    checkCrossFieldRules(initial);
  });

  it('prefers stored values to initial ones', () => {
    const settings = completeSettings({ general: { name: 'Mine', registration: true } });
    expect(settings.general).to.include({ name: 'Mine', registration: true, timezone: 'UTC' });
  });

  for (const [group, field, restName, good, bad] of [
    ['general', 'name', 'general.name', ['A', 'ü'.repeat(100), '<b>'], ['', 'a\nb', 'a\u0000', 'x'.repeat(101), 1]],
    [
      'general',
      'url',
      'general.url',
      ['https://panel.example.com', 'http://localhost:8080/base'],
      ['', 'panel.example.com', 'javascript:alert(1)', 'https://u:p@x.com', 'https://x.com?a=1', 'https://x.com/#f', 'https://x.com/?', 'https://x .com', 'ftp://x.com', 'https://x.com\r\nA: b'], // prettier-ignore
    ],
    ['general', 'locale', 'general.locale', ['en', 'de-AT', 'zh-Hant-TW'], ['', 'x'.repeat(36), '../..', 'en_US']],
    [
      'general',
      'timezone',
      'general.timezone',
      ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'],
      ['', 'Europe/Atlantis', '+01:00', '../etc/passwd', 'europe berlin'],
    ],
    ['general', 'currency', 'general.currency', ['EUR', 'USD', 'JPY'], ['', 'eur', 'XXX', 'XTS', 'XAU', 'DEM', 'EURO']],
    ['general', 'registration', 'general.registration', [true, false], ['true', 1, null]],
    ['mail', 'driver', 'mail.driver', ['log'], ['', 'sendmail', 'unspecified', 'SMTP']],
    [
      'mail',
      'host',
      'mail.host',
      ['', 'smtp.example.com', '192.0.2.1', '::1'],
      ['a b', 'a/b', 'a\r\nb', 'x'.repeat(254)],
    ],
    ['mail', 'port', 'mail.port', [1, 25, 65_535], [0, 65_536, -1, 25.5, NaN, Infinity, '25']],
    ['mail', 'encryption', 'mail.encryption', ['none', 'starttls', 'tls'], ['ssl', '']],
    ['mail', 'username', 'mail.username', ['', 'me@example.com'], ['a\r\nb']],
    ['mail', 'password', 'mail.password', ['', 'correct horse'], ['a\nb', 'x'.repeat(1025)]],
    [
      'mail',
      'fromAddress',
      'mail.from_address',
      ['panel@example.com', 'root@localhost', 'grün@exämple.com'],
      [
        '',
        'panel',
        'a@b@c',
        'A <a@b.c>',
        'a@b.c\r\nBcc: x@y.z',
        'a b@c.d',
        `${'x'.repeat(65)}@a.b`,
        `a@${'b'.repeat(254)}`,
      ],
    ],
    ['mail', 'fromName', 'mail.from_name', ['', 'The panel'], ['a\r\nBcc: x@y.z']],
    ['security', 'requireTwoFactor', 'security.require_2fa', ['none', 'admins', 'all'], ['some']],
    ['security', 'sessionsPerUser', 'security.sessions_per_user', [1, 100], [0, 101, 1.5]],
    ['billing', 'taxRatePercent', 'billing.tax_rate', [0, 19, 8.1, 20.25, 100], [-0.01, 100.01, 0.001, NaN, Infinity]],
    ['billing', 'taxInclusive', 'billing.tax_inclusive', [true], [0]],
    ['billing', 'invoiceDaysBefore', 'billing.invoice_days_before', [0, 365], [-1, 366, 0.5]],
    [
      'billing',
      'taxRates',
      'billing.tax_rates',
      ['', 'DE=19,FR=20', 'CH=8.1', 'EE=22,EE=24@2025-07-01', 'EE = 22 , EE = 24 @ 2025-07-01 '],
      ['de=19', 'DE=19,DE=7', 'DE=101', 'DE=1.234', 'EE=24@2025-02-30', 'EE=24@1.7.2025', 'GR=24,EL=24', 'EE=1@2025-07-01,EE=2@2025-07-01'], // prettier-ignore
    ],
    ['billing', 'taxScheme', 'billing.tax_scheme', ['none', 'fixed', 'eu'], ['', 'EU', 'oss']],
    ['billing', 'sellerCountry', 'billing.seller_country', ['', 'DE', 'EL'], ['de', 'DEU', 'D']],
    [
      'billing',
      'sellerVatNumbers',
      'billing.seller_vat_numbers',
      ['', 'FR40303265045', 'FR40303265045, ATU13585627'],
      ['40303265045', 'FR40303265045;ATU13585627', 'FR40303265045,', 'FR\nX'],
    ],
    ['billing', 'oss', 'billing.oss', [true, false], ['true', 1]],
    ['billing', 'vatCheck', 'billing.vat_check', ['off', 'accept', 'tax'], ['', 'on', true]],
    ['billing', 'datevConsultant', 'billing.datev_consultant', [0, 1_001, 9_999_999], [1, 1_000, 10_000_000, 1_001.5]],
    ['billing', 'datevClient', 'billing.datev_client', [0, 1, 99_999], [-1, 100_000]],
    ['billing', 'datevFiscalMonth', 'billing.datev_fiscal_month', [1, 12], [0, 13]],
    ['billing', 'datevAccountDigits', 'billing.datev_account_digits', [4, 8], [3, 9]],
    [
      'billing',
      'datevAccounts',
      'billing.datev_accounts',
      [skr03, `${skr03}, cash:stripe=1361,tax::0=1771,tax:AT=1772`],
      [
        '',
        skr03.replace('debt=1500,', ''),
        `${skr03},cash=1361`,
        `${skr03},bank=1200`,
        `${skr03},debt:x=1200`,
        `${skr03},cash:stripe=0400`,
        `${skr03},cash:stripe=12`,
        `${skr03},cash:stripe=1234567890`,
        `${skr03},cash:stripe==1`,
      ],
    ],
    ['billing', 'invoicePrefix', 'billing.invoice_prefix', ['', 'INV-2026/'], ['{{7*7}}', 'x'.repeat(21), 'ü']],
    [
      'billing',
      'bankIban',
      'billing.bank_iban',
      ['', 'DE02120300000000202051', 'de02 1203 0000 0000 2020 51', 'GB33BUKB20201555555555'],
      ['DE03120300000000202051', 'DE02', 'nothing', 'x'.repeat(51)],
    ],
    ['billing', 'eInvoice', 'billing.e_invoice', [true, false], ['true', 1]],
    ['billing', 'sellerPostcode', 'billing.seller_postcode', ['', '10115'], ['x'.repeat(21), '1\n2']],
    ['billing', 'sellerEmail', 'billing.seller_email', ['', 'billing@example.com'], ['billing', 'a b@c']],
    ['billing', 'bankBic', 'billing.bank_bic', ['', 'BYLADEM1001', 'bylaDEM1'], ['BYLA', 'BYLADEM10011']],
    ['servers', 'defaultMemoryMb', 'servers.default_memory', [128], [127]],
    ['servers', 'defaultDiskMb', 'servers.default_disk', [0], [-1]],
    ['servers', 'defaultCpuPercent', 'servers.default_cpu', [0], [-1]],
    ['servers', 'consoleHistoryLines', 'servers.console_history', [0, 1000], [-1, 1001]],
  ] as const) {
    it(`validates ${restName}`, () => {
      for (const value of good) expect(problemsOf({ [group]: { [field]: value } }), String(value)).to.equal(null);
      for (const value of bad) {
        expect(problemsOf({ [group]: { [field]: value } }), String(value)).to.have.all.keys(restName);
      }
    });
  }

  it('names every invalid setting at once', () => {
    const given = { general: { currency: 'XXX' }, mail: { port: 0, fromAddress: 'x' } };
    expect(problemsOf(given)).to.have.all.keys('general.currency', 'mail.port', 'mail.from_address');
  });

  it('ignores absent values and masked secrets', () => {
    expect(checkChanges({ general: { name: undefined }, mail: { password: '********' } })).to.deep.equal({});
    expect(checkChanges({ mail: { password: '' } })).to.deep.equal({ 'mail.password': '' });
  });

  it('removes a trailing slash from an address', () => {
    expect(checkChanges({ general: { url: 'https://x.example/' } })).to.deep.equal({
      'general.url': 'https://x.example',
    });
  });

  it('refuses SMTP without a host', () => {
    const without = withChanges(completeSettings({}), { 'mail.driver': 'smtp' });
    expect(() => checkCrossFieldRules(without))
      .to.throw()
      .with.nested.property('metadata.fields')
      .with.all.keys('mail.host');
    checkCrossFieldRules(withChanges(without, { 'mail.host': 'smtp.example.com' }));
  });

  it('refuses accounts of DATEV that are longer than those of persons', () => {
    const longer = { 'billing.datevAccounts': skr03.replace('sales=8200', 'sales=820000') };
    expect(() => checkCrossFieldRules(withChanges(completeSettings({}), longer)))
      .to.throw()
      .with.nested.property('metadata.fields')
      .that.has.all.keys('billing.datev_accounts');
    checkCrossFieldRules(withChanges(completeSettings({}), { ...longer, 'billing.datevAccountDigits': 5 }));
  });

  it('refuses termination before suspension', () => {
    const reversed = withChanges(completeSettings({}), { 'billing.terminateDays': 1 });
    expect(() => checkCrossFieldRules(reversed))
      .to.throw()
      .with.nested.property('metadata.fields')
      .with.all.keys('billing.terminate_days');
  });

  const others =
    'AT=20,BE=21,BG=20,CY=19,CZ=21,DK=25,EE=24,EL=24,ES=21,FI=25.5,FR=20,HR=25,HU=27,IE=23,IT=22,LT=21,LU=17,LV=21,MT=18,NL=21,PL=23,PT=23,RO=21,SE=25,SI=22,SK=23';

  for (const [what, changes, fields] of [
    ['no seat', { 'billing.sellerCountry': '' }, ['billing.seller_country', 'billing.seller_vat_number']],
    [
      'a seat outside of the EU',
      { 'billing.sellerCountry': 'CH', 'billing.sellerVatNumber': 'CHE116281710' },
      ['billing.seller_country'],
    ],
    ['no VAT number', { 'billing.sellerVatNumber': '' }, ['billing.seller_vat_number']],
    ['a VAT number of another country', { 'billing.sellerCountry': 'AT' }, ['billing.seller_vat_number']],
    ['the seat in Greece', { 'billing.sellerCountry': 'GR', 'billing.sellerVatNumber': 'EL094259216' }, []],
    ['OSS without rates', { 'billing.oss': true }, ['billing.tax_rates']],
    [
      'a rate that only holds from a day on',
      { 'billing.oss': true, 'billing.taxRates': others.replace('EE=24', 'EE=24@2025-07-01') },
      ['billing.tax_rates'],
    ],
    ['a registration without a rate', { 'billing.sellerVatNumbers': 'EL094259216' }, ['billing.tax_rates']],
    ['a registration with a rate', { 'billing.sellerVatNumbers': 'EL094259216', 'billing.taxRates': 'GR=24' }, []],
    ['OSS with all rates', { 'billing.oss': true, 'billing.taxRates': others }, []],
    ['everything without OSS', {}, []],
  ] as const) {
    it(`${fields.length > 0 ? 'refuses' : 'takes'} the tax scheme eu with ${what}`, () => {
      const seller = { taxScheme: 'eu', sellerCountry: 'DE', sellerVatNumber: 'DE136695976' } as const;
      const settings = withChanges(completeSettings({ billing: seller }), changes);
      const check = () => checkCrossFieldRules(settings);
      if (fields.length === 0) check();
      else
        expect(check)
          .to.throw()
          .with.nested.property('metadata.fields')
          .with.all.keys(...fields);
    });
  }

  for (const [what, changes, fields] of [
    [
      'nothing of the seller',
      { sellerName: '', sellerAddress: '', sellerPostcode: '', sellerCity: '', sellerCountry: '', sellerVatNumber: '' },
      ['name', 'address', 'postcode', 'city', 'country', 'vat_number'],
    ],
    ['no name', { sellerName: '' }, ['name']],
    ['no address', { sellerAddress: '' }, ['address']],
    ['no postcode', { sellerPostcode: '' }, ['postcode']],
    ['no city', { sellerCity: '' }, ['city']],
    ['no country', { sellerCountry: '' }, ['country']],
    ['neither a VAT number nor a tax number', { sellerVatNumber: '' }, ['vat_number']],
    ['a VAT number of another country', { sellerVatNumber: 'FR40303265045' }, ['vat_number']],
    ['a tax number alone', { sellerVatNumber: '', sellerTaxNumber: '21/815/08150' }, []],
    ['all that they need', {}, []],
    ['none of it, switched off', { eInvoice: false, sellerName: '', sellerCity: '' }, []],
  ] as const) {
    it(`${fields.length > 0 ? 'refuses' : 'takes'} electronic invoices with ${what}`, () => {
      const seller = {
        sellerName: 'Panel GmbH',
        sellerAddress: 'Main Street 1',
        sellerPostcode: '10115',
        sellerCity: 'Berlin',
        sellerCountry: 'DE',
        sellerVatNumber: 'DE136695976',
      };
      const check = () =>
        checkCrossFieldRules(completeSettings({ billing: { eInvoice: true, ...seller, ...changes } }));
      if (fields.length === 0) check();
      else
        expect(check)
          .to.throw()
          .with.nested.property('metadata.fields')
          .with.all.keys(...fields.map((field) => `billing.seller_${field}`));
    });
  }

  it('names the countries whose rate OSS lacks', () => {
    const billing = { taxScheme: 'eu', sellerCountry: 'DE', sellerVatNumber: 'DE136695976', oss: true } as const;
    const settings = completeSettings({ billing: { ...billing, taxRates: others.replace('EL=24,', '') } });
    expect(() => checkCrossFieldRules(settings))
      .to.throw()
      .with.nested.property('metadata.fields')
      .that.deep.equals({ 'billing.tax_rates': ['must name a rate for GR'] });
  });
});
