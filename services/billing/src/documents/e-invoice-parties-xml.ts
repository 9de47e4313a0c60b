import type { EInvoiceBuyer, EInvoiceSeller } from '../domain/e-invoice-parties.js';

type Element = Readonly<Record<string, unknown>>;

export function sellerParty(seller: EInvoiceSeller): Element {
  const { id, name, contact, phone, email, vatNumber, taxNumber } = seller;
  return {
    ...given('ram:ID', id),
    'ram:Name': name,
    ...(contact || phone || email
      ? {
          'ram:DefinedTradeContact': {
            ...given('ram:PersonName', contact),
            ...(phone && { 'ram:TelephoneUniversalCommunication': { 'ram:CompleteNumber': phone } }),
            ...(email && { 'ram:EmailURIUniversalCommunication': { 'ram:URIID': email } }),
          },
        }
      : {}),
    'ram:PostalTradeAddress': address(seller),
    ...electronicAddress(email),
    'ram:SpecifiedTaxRegistration': [...registration('VA', vatNumber), ...registration('FC', taxNumber)],
  };
}

export function buyerParty(buyer: EInvoiceBuyer): Element {
  const { name, contact, email, vatNumber } = buyer;
  return {
    'ram:Name': name,
    ...(contact && { 'ram:DefinedTradeContact': { 'ram:PersonName': contact } }),
    'ram:PostalTradeAddress': address(buyer),
    ...electronicAddress(email),
    'ram:SpecifiedTaxRegistration': registration('VA', vatNumber),
  };
}

function address({ lines, postcode, city, country }: EInvoiceSeller | EInvoiceBuyer): Element {
  const names = ['ram:LineOne', 'ram:LineTwo', 'ram:LineThree'];
  return {
    ...given('ram:PostcodeCode', postcode),
    ...Object.fromEntries(lines.map((line, index) => [names[index], line])),
    ...given('ram:CityName', city),
    'ram:CountryID': country,
  };
}

/** By the Electronic Address Scheme list: an e-mail address. */
function electronicAddress(email: string): Element {
  return email === ''
    ? {}
    : { 'ram:URIUniversalCommunication': { 'ram:URIID': { '@_schemeID': 'EM', '#text': email } } };
}

function registration(scheme: 'VA' | 'FC', number: string): Element[] {
  return number === '' ? [] : [{ 'ram:ID': { '@_schemeID': scheme, '#text': number } }];
}

export function given(name: string, text: string): Element {
  return text === '' ? {} : { [name]: text };
}
