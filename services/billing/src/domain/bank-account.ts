export interface BankAccount {
  readonly holder: string;
  /** Without spaces; empty for accounts without one. */
  readonly iban: string;
  readonly bic: string;
  /** What else a transfer needs. */
  readonly instructions: string;
}

/** Null: nothing to transfer to. */
export function bankAccount(account: BankAccount): BankAccount | null {
  return account.iban === '' && account.instructions === '' ? null : account;
}
