/** What a mail to somebody who is invited says. */
export interface InvitationMail {
  readonly to: string;
  /** Name of the user who invites. */
  readonly inviter: string;
  readonly serverName: string;
}
