export interface InvitationMail {
  readonly to: string;
  /** User name. */
  readonly inviter: string;
  readonly serverName: string;
}
