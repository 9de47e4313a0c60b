interface CamtEntry {
  readonly amount: string;
  readonly text: string;
  readonly payer?: string;
  readonly reference?: string;
  readonly direction?: 'CRDT' | 'DBIT';
  readonly status?: string;
  readonly isReversal?: boolean;
  readonly date?: string;
  /** Instead of one transaction. */
  readonly details?: string;
}

/** A statement of ISO 20022. */
export function camtOf(entries: readonly string[]): string {
  const account = '<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id></Acct>';
  const statement = `<Stmt><Id>1</Id>${account}${entries.join('')}</Stmt>`;
  const name = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';
  return `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="${name}"><BkToCstmrStmt>${statement}</BkToCstmrStmt></Document>`;
}

export function camtEntry({
  amount,
  text,
  payer = '',
  reference = '',
  direction = 'CRDT',
  status = 'BOOK',
  isReversal = false,
  date = '2026-01-31',
  details,
}: CamtEntry): string {
  const party = payer.startsWith('<') ? payer : `<Nm>${payer}</Nm>`;
  const transaction = `<TxDtls><RltdPties><Dbtr>${party}</Dbtr></RltdPties><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`;
  return [
    '<Ntry>',
    `<Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>`,
    isReversal ? '<RvslInd>true</RvslInd>' : '',
    `<Sts>${status}</Sts><BookgDt><Dt>${date}</Dt></BookgDt>`,
    reference === '' ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`,
    `<NtryDtls>${details ?? transaction}</NtryDtls>`,
    '</Ntry>',
  ].join('');
}
