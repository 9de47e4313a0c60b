/** A mail for the admin service. */
export interface MailPayload {
  readonly kind: 'set_password' | 'reset_password' | 'email_changed';
  readonly to: string;
  readonly username: string;
  /** The sealed token of a link, or the new address. */
  readonly content: string;
}
