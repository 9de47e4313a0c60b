export interface InvitationMail {
  readonly to: string;
  /** Name of the inviting user. */
  readonly inviter: string;
  readonly serverName: string;
}
