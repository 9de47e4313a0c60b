export interface MailPayload {
  readonly kind: 'set_password' | 'reset_password' | 'email_changed';
  readonly to: string;
  readonly username: string;
  /** Sealed link token, or the new address. */
  readonly content: string;
}
