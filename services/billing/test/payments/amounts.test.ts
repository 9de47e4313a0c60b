import { decimalOf } from '@panel/kit/text';
import { expect } from 'chai';
import { formatMoney, parseDecimalAmount } from '../../src/domain/currency.js';
import { fromMollieAmount, toMollieAmount } from '../../src/payments/mollie/amounts.js';
import { fromPayPalAmount, toPayPalAmount } from '../../src/payments/paypal/amounts.js';
import { fromStripeAmount, toStripeAmount } from '../../src/payments/stripe/amounts.js';
import { presentMoney } from '../../src/present/money.js';

describe('amounts of money', () => {
  const stripeRows = [
    ['EUR', 1234, 1234],
    ['JPY', 1234, 1234],
    ['KWD', 12_340, 12_340],
    ['ISK', 500, 50_000],
    ['UGX', 500, 50_000],
    ['HUF', 12_345, 12_345],
    ['MGA', 12_300, 123],
  ] as const;

  for (const [currency, amountMinor, amount] of stripeRows) {
    it(`sends ${amount} to Stripe for ${amountMinor} minor units of ${currency}`, () => {
      expect(toStripeAmount({ amountMinor, currency })).to.deep.equal({ amount, currency: currency.toLowerCase() });
      expect(fromStripeAmount(amount, currency.toLowerCase())).to.deep.equal({ amountMinor, currency });
    });
  }

  const payPalRows = [
    ['EUR', 1234, '12.34'],
    ['EUR', 5, '0.05'],
    ['JPY', 1234, '1234'],
    ['HUF', 123_400, '1234'],
    ['TWD', 100, '1'],
  ] as const;

  for (const [currency, amountMinor, value] of payPalRows) {
    it(`sends ${value} to PayPal for ${amountMinor} minor units of ${currency}`, () => {
      expect(toPayPalAmount({ amountMinor, currency })).to.deep.equal({ currency_code: currency, value });
      expect(fromPayPalAmount({ currency_code: currency, value })).to.deep.equal({ amountMinor, currency });
    });
  }

  const mollieRows = [
    ['EUR', 1234, '12.34'],
    ['EUR', 1, '0.01'],
    ['JPY', 1234, '1234'],
    ['ISK', 500, '500'],
    ['HUF', 12_345, '123.45'],
  ] as const;

  for (const [currency, amountMinor, value] of mollieRows) {
    it(`sends ${value} to Mollie for ${amountMinor} minor units of ${currency}`, () => {
      expect(toMollieAmount({ amountMinor, currency })).to.deep.equal({ currency, value });
      expect(fromMollieAmount({ currency, value })).to.deep.equal({ amountMinor, currency });
    });
  }

  const refused = [
    [toMollieAmount, 'KWD', 12_340, 'CURRENCY_NOT_SUPPORTED'],
    [toMollieAmount, 'BGN', 100, 'CURRENCY_NOT_SUPPORTED'],
    [toStripeAmount, 'KWD', 12_345, 'AMOUNT_NOT_REPRESENTABLE'],
    [toStripeAmount, 'MGA', 12_345, 'AMOUNT_NOT_REPRESENTABLE'],
    [toPayPalAmount, 'HUF', 12_345, 'AMOUNT_NOT_REPRESENTABLE'],
    [toPayPalAmount, 'KWD', 12_340, 'CURRENCY_NOT_SUPPORTED'],
  ] as const;

  for (const [convert, currency, amountMinor, reason] of refused) {
    it(`refuses ${amountMinor} minor units of ${currency} with ${reason} in ${convert.name}`, () => {
      expect(() => convert({ amountMinor, currency }))
        .to.throw()
        .with.property('reason', reason);
    });
  }

  for (const amountMinor of [1.5, 0, -1, Number.NaN, 2 ** 53]) {
    it(`takes ${amountMinor} for a defect of the caller`, () => {
      expect(() => toStripeAmount({ amountMinor, currency: 'EUR' })).to.throw(TypeError);
    });
  }

  it('reads only plain decimal numbers that fit the unit', () => {
    expect(['12.34', '12.3', '12', '12.340', '-1.00'].map((text) => parseDecimalAmount(text, 2))).to.deep.equal([
      1234, 1230, 1200, 1234, -100,
    ]);
    for (const text of ['', '1e3', '0x10', '1,00', ' 1', '1.', '.5', '12.345', '99999999999999999']) {
      expect(parseDecimalAmount(text, 2), text).to.equal(null);
    }
  });

  it('writes every digit, of small and of large amounts', () => {
    expect(decimalOf(9_007_199_254_740_991, 2)).to.equal('90071992547409.91');
    expect([decimalOf(-5, 2), decimalOf(7, 0), decimalOf(7, 3)]).to.deep.equal(['-0.05', '7', '0.007']);
  });

  it('sends the digits of a currency that has not two', () => {
    expect(['EUR', 'JPY', 'KWD'].map((currency) => presentMoney(5, currency).digits)).to.deep.equal([undefined, 0, 3]);
  });

  it('shows an amount with the digits of its currency', () => {
    const shown = (amount: number, currency: string) => formatMoney(amount, currency).replaceAll('\u00a0', ' ');
    expect(shown(123_456, 'EUR')).to.equal('EUR 1,234.56');
    expect(shown(123_456, 'JPY')).to.equal('JPY 123,456');
    expect(shown(123_456, 'KWD')).to.equal('KWD 123.456');
  });
});
