import { createLogger } from '@panel/kit/process';
import {
  BillingSettings,
  BillingSettings_TaxScheme,
  BillingSettings_VatCheck,
  GeneralSettings,
  Settings,
} from '@panel/protos/admin';
import { expect } from 'chai';
import { SettingsReader } from '../../src/settings/settings-reader.js';

const log = createLogger({ service: 'test', level: 'silent' });

async function read(billing: Partial<BillingSettings>, timezone = 'UTC', locale?: string) {
  const settings = Settings.create({
    general: GeneralSettings.create({ timezone, locale }),
    billing: BillingSettings.create(billing),
  });
  return new SettingsReader({ getSettings: async () => ({ settings }) }, log, () => new Date(0)).read();
}

describe('the settings that billing reads', () => {
  it('computes as before with settings from before the tax schemes', async () => {
    expect(await read({ taxRatePercent: 8.1, taxRates: 'DE=19' })).to.deep.include({
      taxScheme: 'fixed',
      taxRateBasisPoints: 810,
      taxRatesByCountry: { DE: 1900 },
      taxRateChanges: [],
      sellerCountry: '',
      registeredCountries: [],
      isOss: false,
      vatCheck: 'off',
    });
  });

  it('takes the language of the panel, English without one', async () => {
    expect((await read({})).locale).to.equal('en');
    expect((await read({}, 'UTC', 'ar')).locale).to.equal('ar');
  });

  it('takes what electronic invoices say of the seller, and leaves out what is empty', async () => {
    const { seller, eInvoice } = await read({
      eInvoice: true,
      sellerName: 'S',
      sellerPostcode: '10115',
      sellerCity: 'Berlin',
      sellerCountry: 'DE',
      sellerTaxNumber: '1',
      sellerContact: 'C',
      sellerPhone: '2',
      sellerEmail: '',
    });
    expect(eInvoice).to.equal(true);
    expect(seller).to.deep.equal({
      name: 'S',
      address: '',
      vatNumber: '',
      postcode: '10115',
      city: 'Berlin',
      country: 'DE',
      taxNumber: '1',
      contact: 'C',
      phone: '2',
    });
    expect((await read({})).eInvoice).to.equal(false);
  });

  it('takes scheme, seat, registrations, OSS and check of VAT numbers', async () => {
    const settings = await read({
      taxScheme: BillingSettings_TaxScheme.EU,
      vatCheck: BillingSettings_VatCheck.TAX,
      oss: true,
      sellerCountry: 'DE',
      sellerVatNumber: 'DE136695976',
      sellerVatNumbers: 'FR40303265045, EL094259216',
    });
    expect(settings).to.deep.include({
      taxScheme: 'eu',
      vatCheck: 'tax',
      isOss: true,
      sellerCountry: 'DE',
      registeredCountries: ['FR', 'GR'],
    });
    expect(settings.seller).to.include({ vatNumber: 'DE136695976', otherVatNumbers: 'FR40303265045, EL094259216' });
  });

  it('takes the accounts of DATEV, filled up to their length, once there are its numbers', async () => {
    const numbers = { datevConsultant: 1_001, datevClient: 7, datevFiscalMonth: 4, datevAccountDigits: 5 };
    const { datev } = await read({ ...numbers, datevAccounts: 'cash=1360, tax:DE:1900=17765' });
    expect(datev).to.deep.equal({
      consultant: 1_001,
      client: 7,
      fiscalMonth: 4,
      accountDigits: 5,
      accounts: new Map([
        ['cash', '13600'],
        ['tax:DE:1900', '17765'],
      ]),
    });
    expect((await read({ datevAccounts: 'cash=1360', datevClient: 7 })).datev).to.equal(null);
  });

  it('begins the day of a rate in the time zone of the panel', async () => {
    const { taxRateChanges } = await read({ taxRates: 'EE=22,EE=24@2025-07-01' }, 'Europe/Berlin');
    expect(taxRateChanges).to.deep.equal([
      { country: 'EE', basisPoints: 2400, from: new Date('2025-06-30T22:00:00Z') },
    ]);
  });
});
