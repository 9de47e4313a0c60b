import { fieldProblem, invalidFields } from '@panel/kit/errors';
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import type { StatementPayment } from '../domain/bank-statement.js';
import { currencyDigits, parseDecimalAmount } from '../domain/currency.js';
import { idOfReference, withIds } from './payment-ids.js';
import { parseStatementDate } from './statement-amount.js';

const lists = new Set(['Stmt', 'Rpt', 'Ntry', 'NtryDtls', 'TxDtls', 'Ustrd', 'Strd']);
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => lists.has(name),
});

const text = z.string().catch('');
const amount = z.object({ '#text': z.string(), '@Ccy': z.string() });
const party = z.object({ Nm: text, Pty: z.object({ Nm: text }).optional() });
const details = z.object({
  Refs: z.object({ AcctSvcrRef: text, EndToEndId: text, TxId: text }).optional(),
  Amt: amount.optional(),
  AmtDtls: z.object({ TxAmt: z.object({ Amt: amount }).optional() }).optional(),
  CdtDbtInd: text,
  RltdPties: z.object({ Dbtr: party.optional() }).optional(),
  RmtInf: z
    .object({
      Ustrd: z.array(text).default([]),
      Strd: z.array(z.object({ CdtrRefInf: z.object({ Ref: text }).optional() })).default([]),
    })
    .optional(),
});
const entry = z.object({
  Amt: amount,
  CdtDbtInd: z.enum(['CRDT', 'DBIT']),
  RvslInd: text,
  /** A word before version 8. */
  Sts: z.union([z.string(), z.object({ Cd: z.string() })]),
  BookgDt: z.object({ Dt: text, DtTm: text }),
  AcctSvcrRef: text,
  AddtlNtryInf: text,
  NtryDtls: z.array(z.object({ TxDtls: z.array(details).default([]) }).catch({ TxDtls: [] })).default([]),
});
const statement = z.object({
  Acct: z.object({ Id: z.object({ IBAN: text }).optional() }).optional(),
  Ntry: z.array(entry).default([]),
});
const document = z.object({
  Document: z.union([
    z.object({ BkToCstmrStmt: z.object({ Stmt: z.array(statement) }) }),
    z.object({ BkToCstmrAcctRpt: z.object({ Rpt: z.array(statement) }) }),
  ]),
});
type Entry = z.output<typeof entry>;
type Details = z.output<typeof details>;

/** Incoming booked payments of a camt.053 or camt.052 message. Throws INVALID_FIELDS with `content`. */
export function parseCamtStatement(content: string): StatementPayment[] {
  const { Document: message } = read(content);
  const statements = 'BkToCstmrStmt' in message ? message.BkToCstmrStmt.Stmt : message.BkToCstmrAcctRpt.Rpt;
  const found = statements.flatMap(({ Acct, Ntry }) => {
    const account = Acct?.Id?.IBAN ?? '';
    return Ntry.filter(isIncoming).flatMap((one) => paymentsOf(one, account));
  });
  const payments = withIds(found.map(({ payment }) => payment));
  return payments.map((payment, index) => ({ ...payment, id: found[index]?.id ?? payment.id }));
}

function read(content: string): z.output<typeof document> {
  // A statement has none, and entities could make it grow.
  if (/<!(DOCTYPE|ENTITY)/i.test(content)) throw unreadable('it has a document type');
  let parsed: unknown;
  try {
    parsed = parser.parse(content, true);
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
  const result = document.safeParse(parsed);
  if (!result.success) throw unreadable('camt.053 or camt.052 is expected');
  return result.data;
}

function isIncoming({ CdtDbtInd, RvslInd, Sts }: Entry): boolean {
  const state = typeof Sts === 'string' ? Sts : Sts.Cd;
  return CdtDbtInd === 'CRDT' && RvslInd !== 'true' && state === 'BOOK';
}

interface FoundPayment {
  /** Null: the bank gives no reference. */
  readonly id: string | null;
  readonly payment: Omit<StatementPayment, 'id'>;
}

/** A collective entry has several. */
function paymentsOf(one: Entry, account: string): FoundPayment[] {
  const all = one.NtryDtls.flatMap(({ TxDtls }) => TxDtls).filter(({ CdtDbtInd }) => CdtDbtInd !== 'DBIT');
  const date = parseStatementDate(one.BookgDt.Dt || one.BookgDt.DtTm);
  if (date === null) throw unreadable('an entry has no date of booking');
  const isCollective = all.length > 1;
  return (all.length > 0 ? all : [null]).map((each, index) => {
    const own = isCollective ? (each?.AmtDtls?.TxAmt?.Amt ?? each?.Amt) : one.Amt;
    if (!own) throw unreadable('a payment of a collective entry has no amount');
    const { '#text': value, '@Ccy': currency } = own;
    const amountMinor = parseDecimalAmount(value, currencyDigits(currency));
    if (amountMinor === null) throw unreadable(`${value} is no amount in ${currency}`);
    const reference = each?.Refs?.AcctSvcrRef || one.AcctSvcrRef || each?.Refs?.TxId;
    return {
      id: reference ? idOfReference(account, `${reference} ${index}`) : null,
      payment: { date, amount: { amountMinor, currency }, payer: payerOf(each), text: textOf(one, each) },
    };
  });
}

function payerOf(one: Details | null): string {
  const payer = one?.RltdPties?.Dbtr;
  return payer?.Pty?.Nm || payer?.Nm || '';
}

function textOf({ AddtlNtryInf }: Entry, one: Details | null): string {
  const written = one?.RmtInf?.Ustrd ?? [];
  const structured = (one?.RmtInf?.Strd ?? []).map(({ CdtrRefInf }) => CdtrRefInf?.Ref ?? '');
  const endToEnd = one?.Refs?.EndToEndId ?? '';
  const parts = [...written, ...structured, endToEnd === 'NOTPROVIDED' ? '' : endToEnd].filter((part) => part !== '');
  return (parts.length > 0 ? parts.join(' ') : AddtlNtryInf).replace(/\s+/g, ' ').trim();
}

function unreadable(why: string) {
  return invalidFields({ content: [fieldProblem('invalid', `cannot be read: ${why.slice(0, 200)}`)] });
}
