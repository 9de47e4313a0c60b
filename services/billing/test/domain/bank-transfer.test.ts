import { expect } from 'chai';
import { bankAccount } from '../../src/domain/bank-account.js';
import { epcText } from '../../src/domain/bank-transfer.js';

const account = { holder: 'Shop', iban: 'DE02120300000000202051', bic: '', instructions: '' };

describe('an EPC QR code', () => {
  it('writes the lines of version 2 with the amount in euros and the reference', () => {
    expect(epcText(account, { amountMinor: 499, currency: 'EUR' }, 'INV-000001')).to.equal(
      'BCD\n002\n1\nSCT\n\nShop\nDE02120300000000202051\nEUR4.99\n\n\nINV-000001',
    );
  });

  it('exists for euros and an IBAN only', () => {
    expect(epcText(account, { amountMinor: 499, currency: 'USD' }, 'x')).to.equal(null);
    expect(epcText(account, { amountMinor: 0, currency: 'EUR' }, 'x')).to.equal(null);
    expect(epcText(account, { amountMinor: 100_000_000_000, currency: 'EUR' }, 'x')).to.equal(null);
    expect(epcText({ ...account, iban: '' }, { amountMinor: 499, currency: 'EUR' }, 'x')).to.equal(null);
  });

  it('asks for an account: an IBAN, or instructions for one without', () => {
    expect(bankAccount({ ...account, iban: '' })).to.equal(null);
    expect(bankAccount({ ...account, iban: '', instructions: 'routing number 1' })).not.to.equal(null);
  });
});
