import { XMLParser } from 'fast-xml-parser';

/* Business rules of EN 16931-1 and of XRechnung 3.0 that concern what we write. Names of elements are those of CII. */

type Node = Readonly<Record<string, unknown>>;

const repeated = new Set([
  'IncludedSupplyChainTradeLineItem',
  'ApplicableTradeTax',
  'SpecifiedTradeAllowanceCharge',
  'SpecifiedTaxRegistration',
]);
const parser = new XMLParser({
  removeNSPrefix: true,
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => repeated.has(name),
});

const get = (node: unknown, path: string): unknown =>
  path.split('/').reduce<unknown>((at, name) => (at as Node | undefined)?.[name], node);
const list = (node: unknown, path: string): Node[] => (get(node, path) as Node[] | undefined) ?? [];
const text = (node: unknown, path: string): string => {
  const value = get(node, path);
  const content = typeof value === 'object' && value !== null ? (value as Node)['#text'] : value;
  return typeof content === 'string' ? content.trim() : '';
};

/** In hundredths: exact. */
function cents(amount: string): number {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(amount);
  if (!match) throw new Error(`«${amount}» is no amount with at most two decimals (BR-DEC)`);
  return Number(`${match[1]}${match[2]}${(match[3] ?? '').padEnd(2, '0')}`);
}
const optionalCents = (node: unknown, path: string): number =>
  get(node, path) === undefined ? 0 : cents(text(node, path));
const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

/** Names of violated rules. */
export function violatedRules(xml: string): string[] {
  const root = get(parser.parse(xml), 'CrossIndustryInvoice');
  const trade = get(root, 'SupplyChainTradeTransaction');
  const agreement = get(trade, 'ApplicableHeaderTradeAgreement');
  const settlement = get(trade, 'ApplicableHeaderTradeSettlement');
  const totals = get(settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation');
  const [seller, buyer] = [get(agreement, 'SellerTradeParty'), get(agreement, 'BuyerTradeParty')];
  const lines = list(trade, 'IncludedSupplyChainTradeLineItem');
  const broken: string[] = [];
  const rule = (name: string, isKept: boolean) => {
    if (!isKept) broken.push(name);
  };
  const has = (name: string, node: unknown, path: string) => rule(name, text(node, path) !== '');

  has('BR-01', root, 'ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID');
  has('BR-02', root, 'ExchangedDocument/ID');
  has('BR-03', root, 'ExchangedDocument/IssueDateTime/DateTimeString');
  rule('BR-04', ['380', '381'].includes(text(root, 'ExchangedDocument/TypeCode')));
  rule('BR-05', /^[A-Z]{3}$/.test(text(settlement, 'InvoiceCurrencyCode')));
  has('BR-06', seller, 'Name');
  has('BR-07', buyer, 'Name');
  has('BR-09', seller, 'PostalTradeAddress/CountryID');
  has('BR-11', buyer, 'PostalTradeAddress/CountryID');
  rule('BR-16', lines.length > 0);
  rule(
    'BR-52',
    get(settlement, 'InvoiceReferencedDocument') === undefined ||
      text(settlement, 'InvoiceReferencedDocument/IssuerAssignedID') !== '',
  );
  const due = cents(text(totals, 'DuePayableAmount'));
  rule('BR-CO-25', due <= 0 || text(settlement, 'SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString') !== '');
  const vatId = (party: unknown, scheme: string) =>
    list(party, 'SpecifiedTaxRegistration')
      .map((one) => get(one, 'ID') as Node)
      .find((id) => id['@_schemeID'] === scheme)?.['#text'];
  rule('BR-CO-26', text(seller, 'ID') !== '' || vatId(seller, 'VA') !== undefined);
  for (const party of [seller, buyer]) {
    const number = vatId(party, 'VA');
    rule('BR-CO-09', number === undefined || (typeof number === 'string' && /^[A-Z]{2}[A-Z0-9+*]+$/.test(number)));
    const address = get(party, 'URIUniversalCommunication/URIID') as Node | undefined;
    rule('BR-62/63', address === undefined || address['@_schemeID'] === 'EM');
  }

  const categories = new Set<string>();
  for (const line of lines) {
    const own = get(line, 'SpecifiedLineTradeSettlement');
    has('BR-21', line, 'AssociatedDocumentLineDocument/LineID');
    has('BR-25', line, 'SpecifiedTradeProduct/Name');
    rule('BR-23', (get(line, 'SpecifiedLineTradeDelivery/BilledQuantity') as Node)['@_unitCode'] === 'C62');
    const price = cents(text(line, 'SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount'));
    rule('BR-27', price >= 0);
    const quantity = Number(text(line, 'SpecifiedLineTradeDelivery/BilledQuantity'));
    const basis = Number(text(line, 'SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity') || '1');
    const allowances = list(own, 'SpecifiedTradeAllowanceCharge');
    rule(
      'BR-42/44',
      allowances.every((one) => text(one, 'Reason') !== '' && cents(text(one, 'ActualAmount')) > 0),
    );
    const signed = sum(
      allowances.map(
        (one) => cents(text(one, 'ActualAmount')) * (text(one, 'ChargeIndicator/Indicator') === 'true' ? 1 : -1),
      ),
    );
    const net = cents(text(own, 'SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount'));
    // PEPPOL-EN16931-R120 allows 0.02; ours is exact.
    rule('R120', (price * quantity) / basis + signed === net);
    const period = get(own, 'BillingSpecifiedPeriod');
    rule('BR-30', text(period, 'EndDateTime/DateTimeString') >= text(period, 'StartDateTime/DateTimeString'));
    const [tax, ...others] = list(own, 'ApplicableTradeTax');
    rule('BR-CO-04', others.length === 0 && text(tax, 'CategoryCode') !== '');
    const [category, rate] = [text(tax, 'CategoryCode'), text(tax, 'RateApplicablePercent')];
    categories.add(category);
    if (category === 'S') rule('BR-S-05', Number(rate) > 0);
    else if (category === 'O') rule('BR-O-05', rate === '');
    else rule(`BR-${category}-05`, rate !== '' && Number(rate) === 0);
  }

  const lineTotal = cents(text(totals, 'LineTotalAmount'));
  const basisTotal = cents(text(totals, 'TaxBasisTotalAmount'));
  const taxTotal = cents(text(totals, 'TaxTotalAmount'));
  const grandTotal = cents(text(totals, 'GrandTotalAmount'));
  const nets = lines.map((line) =>
    cents(text(line, 'SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount')),
  );
  rule('BR-CO-10', lineTotal === sum(nets));
  rule('BR-CO-13', basisTotal === lineTotal);
  rule('BR-53', (get(totals, 'TaxTotalAmount') as Node)['@_currencyID'] === text(settlement, 'InvoiceCurrencyCode'));
  rule('BR-CO-15', grandTotal === basisTotal + taxTotal);
  rule(
    'BR-CO-16',
    due === grandTotal - optionalCents(totals, 'TotalPrepaidAmount') + optionalCents(totals, 'RoundingAmount'),
  );

  const breakdown = list(settlement, 'ApplicableTradeTax');
  rule('BR-CO-18', breakdown.length === 1);
  rule('BR-CO-14', taxTotal === sum(breakdown.map((one) => cents(text(one, 'CalculatedAmount')))));
  const sellerIds = [vatId(seller, 'VA'), vatId(seller, 'FC')].filter((id) => id !== undefined);
  for (const one of breakdown) {
    const category = text(one, 'CategoryCode');
    rule(`BR-${category}-01`, categories.size === 1 && categories.has(category));
    const [basis, tax] = [cents(text(one, 'BasisAmount')), cents(text(one, 'CalculatedAmount'))];
    rule(`BR-${category}-08`, basis === sum(nets));
    const rate = Number(text(one, 'RateApplicablePercent'));
    rule('BR-CO-17', rate === 0 ? tax === 0 : Math.abs(Math.abs(tax) - Math.round(Math.abs(basis) * rate) / 100) < 100);
    const hasReason = text(one, 'ExemptionReason') !== '' || text(one, 'ExemptionReasonCode') !== '';
    rule(`BR-${category}-10`, hasReason === !['S', 'Z'].includes(category));
    if (category === 'O') rule('BR-O-02', sellerIds[0] !== vatId(seller, 'VA') || vatId(seller, 'VA') === undefined);
    else rule(`BR-${category}-02`, sellerIds.length > 0);
    if (category === 'O') rule('BR-O-02 buyer', vatId(buyer, 'VA') === undefined);
    if (category === 'AE') rule('BR-AE-02 buyer', vatId(buyer, 'VA') !== undefined);
  }

  const means = get(settlement, 'SpecifiedTradeSettlementPaymentMeans');
  has('BR-49', means, 'TypeCode');
  const isTransfer = ['30', '58'].includes(text(means, 'TypeCode'));
  rule('BR-61', isTransfer === (text(means, 'PayeePartyCreditorFinancialAccount/IBANID') !== ''));

  if (text(root, 'ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID').includes('xrechnung_3.0')) {
    has('BR-DE-1', means, 'TypeCode');
    has('BR-DE-3', seller, 'PostalTradeAddress/CityName');
    has('BR-DE-4', seller, 'PostalTradeAddress/PostcodeCode');
    has('BR-DE-5', seller, 'DefinedTradeContact/PersonName');
    rule(
      'BR-DE-6/27',
      /(?:\d\D*){3}/.test(text(seller, 'DefinedTradeContact/TelephoneUniversalCommunication/CompleteNumber')),
    );
    rule(
      'BR-DE-7/28',
      /^[^@\s.][^@\s]+@[^@\s.][^@\s]*[^@\s.]$/.test(
        text(seller, 'DefinedTradeContact/EmailURIUniversalCommunication/URIID'),
      ),
    );
    has('BR-DE-8', buyer, 'PostalTradeAddress/CityName');
    has('BR-DE-9', buyer, 'PostalTradeAddress/PostcodeCode');
    has('BR-DE-14', breakdown[0], 'RateApplicablePercent');
    has('BR-DE-15', agreement, 'BuyerReference');
    rule('BR-DE-16', categories.has('O') || sellerIds.length > 0);
    rule('BR-DE-18-a', get(settlement, 'SpecifiedTradePaymentTerms') !== undefined);
    has('R001', root, 'ExchangedDocumentContext/BusinessProcessSpecifiedDocumentContextParameter/ID');
    has('R010', buyer, 'URIUniversalCommunication/URIID');
    has('R020', seller, 'URIUniversalCommunication/URIID');
  }
  return broken;
}
