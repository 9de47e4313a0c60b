import { decimalOf } from '@panel/kit/text';
import { assertNever } from '@panel/kit/errors';
import { XMLBuilder } from 'fast-xml-parser';
import { currencyDigits } from '../domain/currency.js';
import type { EInvoice } from '../domain/e-invoice.js';
import type { DayPeriod, EInvoiceLine } from '../domain/e-invoice-lines.js';
import type { DocumentLanguage } from '../domain/language.js';
import { buyerParty, given, sellerParty } from './e-invoice-parties-xml.js';
import { documentTexts } from './languages.js';
import type { DocumentTexts } from './texts/document-texts.js';

type Xml = Readonly<Record<string, unknown>>;

const namespaces = {
  '@_xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  '@_xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  '@_xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
};

const guidelines: Readonly<Record<EInvoice['profile'], string>> = {
  en16931: 'urn:cen.eu:en16931:2017',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
};
const businessProcess = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';

const builder = new XMLBuilder({ ignoreAttributes: false, suppressEmptyNode: true });

/** UN/CEFACT Cross Industry Invoice D16B, UTF-8. Order of elements as its schema wants it. */
export function eInvoiceXml(invoice: EInvoice, language: DocumentLanguage): string {
  const texts = documentTexts[language];
  const document = {
    'rsm:CrossIndustryInvoice': {
      ...namespaces,
      'rsm:ExchangedDocumentContext': {
        'ram:BusinessProcessSpecifiedDocumentContextParameter': { 'ram:ID': businessProcess },
        'ram:GuidelineSpecifiedDocumentContextParameter': { 'ram:ID': guidelines[invoice.profile] },
      },
      'rsm:ExchangedDocument': {
        'ram:ID': invoice.number,
        'ram:TypeCode': invoice.kind === 'credit_note' ? '381' : '380',
        'ram:IssueDateTime': dateTime(invoice.issuedOn),
      },
      'rsm:SupplyChainTradeTransaction': {
        'ram:IncludedSupplyChainTradeLineItem': invoice.lines.map((line, index) =>
          lineItem(line, index, invoice, texts),
        ),
        'ram:ApplicableHeaderTradeAgreement': {
          ...given('ram:BuyerReference', invoice.buyer.reference),
          'ram:SellerTradeParty': sellerParty(invoice.seller),
          'ram:BuyerTradeParty': buyerParty(invoice.buyer),
        },
        'ram:ApplicableHeaderTradeDelivery': invoice.period
          ? ''
          : { 'ram:ActualDeliverySupplyChainEvent': { 'ram:OccurrenceDateTime': dateTime(invoice.issuedOn) } },
        'ram:ApplicableHeaderTradeSettlement': settlement(invoice, texts),
      },
    },
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(withoutControls(document))}\n`;
}

function lineItem(line: EInvoiceLine, index: number, invoice: EInvoice, texts: DocumentTexts): Xml {
  const { category, rateBasisPoints, currency } = invoice;
  const amount = (minor: number): string => decimalOf(minor, currencyDigits(currency));
  return {
    'ram:AssociatedDocumentLineDocument': { 'ram:LineID': String(index + 1) },
    'ram:SpecifiedTradeProduct': { 'ram:Name': line.name || '-' },
    'ram:SpecifiedLineTradeAgreement': {
      'ram:NetPriceProductTradePrice': {
        'ram:ChargeAmount': amount(line.price),
        ...(line.basis === 1 ? {} : { 'ram:BasisQuantity': units(line.basis) }),
      },
    },
    'ram:SpecifiedLineTradeDelivery': { 'ram:BilledQuantity': units(line.quantity) },
    'ram:SpecifiedLineTradeSettlement': {
      'ram:ApplicableTradeTax': {
        'ram:TypeCode': 'VAT',
        'ram:CategoryCode': category,
        // Forbidden here for O, and required in the sums.
        ...(category === 'O' ? {} : { 'ram:RateApplicablePercent': percent(rateBasisPoints) }),
      },
      ...billingPeriod(line.period),
      'ram:SpecifiedTradeAllowanceCharge': [
        ...(line.discount === 0 ? [] : [allowanceCharge(false, amount(line.discount), texts.discount)]),
        ...(line.setupFee === 0 ? [] : [allowanceCharge(true, amount(line.setupFee), texts.setupFee)]),
      ],
      'ram:SpecifiedTradeSettlementLineMonetarySummation': { 'ram:LineTotalAmount': amount(line.net) },
    },
  };
}

function settlement(invoice: EInvoice, texts: DocumentTexts): Xml {
  const { category, currency, dueOn, period, rateBasisPoints } = invoice;
  const amount = (minor: number): string => decimalOf(minor, currencyDigits(currency));
  return {
    'ram:PaymentReference': invoice.number,
    'ram:InvoiceCurrencyCode': currency,
    'ram:SpecifiedTradeSettlementPaymentMeans': paymentMeans(invoice),
    'ram:ApplicableTradeTax': {
      'ram:CalculatedAmount': amount(invoice.tax),
      'ram:TypeCode': 'VAT',
      ...exemption(invoice, texts),
      'ram:BasisAmount': amount(invoice.net),
      'ram:CategoryCode': category,
      ...given('ram:ExemptionReasonCode', exemptionCodes[category] ?? ''),
      'ram:RateApplicablePercent': percent(rateBasisPoints),
    },
    ...billingPeriod(period),
    'ram:SpecifiedTradePaymentTerms': { 'ram:DueDateDateTime': dateTime(dueOn) },
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation': {
      'ram:LineTotalAmount': amount(invoice.net),
      'ram:TaxBasisTotalAmount': amount(invoice.net),
      'ram:TaxTotalAmount': { '@_currencyID': currency, '#text': amount(invoice.tax) },
      ...(invoice.rounding === 0 ? {} : { 'ram:RoundingAmount': amount(invoice.rounding) }),
      'ram:GrandTotalAmount': amount(invoice.gross),
      'ram:TotalPrepaidAmount': amount(invoice.prepaid),
      'ram:DuePayableAmount': amount(invoice.due),
    },
    ...(invoice.correctedNumber === ''
      ? {}
      : { 'ram:InvoiceReferencedDocument': { 'ram:IssuerAssignedID': invoice.correctedNumber } }),
  };
}

function paymentMeans({ payment }: EInvoice): Xml {
  if (payment.code !== '58') return { 'ram:TypeCode': payment.code };
  const { iban, bic, holder } = payment.account;
  return {
    'ram:TypeCode': payment.code,
    'ram:PayeePartyCreditorFinancialAccount': { 'ram:IBANID': iban, ...given('ram:AccountName', holder) },
    ...(bic === '' ? {} : { 'ram:PayeeSpecifiedCreditorFinancialInstitution': { 'ram:BICID': bic } }),
  };
}

/** VATEX codes of EN 16931; those of `E` have only a text. */
const exemptionCodes: Readonly<Partial<Record<EInvoice['category'], string>>> = {
  AE: 'VATEX-EU-AE',
  O: 'VATEX-EU-O',
};

function exemption({ category, exemptReason }: EInvoice, texts: DocumentTexts): Xml {
  switch (category) {
    case 'AE':
      return { 'ram:ExemptionReason': texts.reverseCharge };
    case 'E':
      return { 'ram:ExemptionReason': texts.exempt(exemptReason || '-') };
    case 'O':
      return { 'ram:ExemptionReason': texts.notTaxed };
    case 'S':
    case 'Z':
      return {};
    default:
      return assertNever(category);
  }
}

function allowanceCharge(isCharge: boolean, amount: string, reason: string): Xml {
  return {
    'ram:ChargeIndicator': { 'udt:Indicator': String(isCharge) },
    'ram:ActualAmount': amount,
    'ram:Reason': reason,
  };
}

function billingPeriod(period: DayPeriod | null): Xml {
  if (!period) return {};
  return {
    'ram:BillingSpecifiedPeriod': {
      'ram:StartDateTime': dateTime(period.first),
      'ram:EndDateTime': dateTime(period.last),
    },
  };
}

/** UN/ECE Recommendation 20: one. */
const units = (count: number): Xml => ({ '@_unitCode': 'C62', '#text': String(count) });

const percent = (basisPoints: number): string => decimalOf(basisPoints, 2);

function dateTime(day: string): Xml {
  return { 'udt:DateTimeString': { '@_format': '102', '#text': day.replaceAll('-', '') } };
}

// eslint-disable-next-line no-control-regex -- these are what is removed
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** XML 1.0 has no such characters, not even escaped. */
function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(controls, '').replace(loneSurrogates, '');
  if (Array.isArray(value)) return value.map(withoutControls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutControls(part)]));
}
