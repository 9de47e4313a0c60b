export interface MailPayload {
  readonly kind: 'set_password' | 'reset_password' | 'email_changed';
  readonly to: string;
  readonly username: string;
  /** BCP 47 tag. Absent: written by an earlier release. */
  readonly language?: string;
  /** Sealed link token, or the new address. */
  readonly content: string;
}
