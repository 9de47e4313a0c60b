/** The content of a mail to an invited user. */
export interface InvitationMail {
  readonly to: string;
  /** Name of the user who invites. */
  readonly inviter: string;
  readonly serverName: string;
}
