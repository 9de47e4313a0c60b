import type { MailContent } from '../../domain/mail.js';

/** The words of one mail. `{{name}}` stands for a value; there is nothing else to it: no logic, no second pass. */
export interface Template {
  readonly subject: string;
  /** Paragraphs before the button. */
  readonly opening: readonly string[];
  /** A link into the panel. */
  readonly action?: { readonly label: string; readonly link: string };
  /** Paragraphs after it. */
  readonly closing: readonly string[];
}

/**
 * Tokens stand behind the # of their link: that part of an address never leaves the browser, so it is in no server's log
 * and in no Referer.
 */
export const templates: Readonly<Record<MailContent['kind'], Template>> = {
  setPassword: {
    subject: 'Your account at {{panel}}',
    opening: ['Hello {{username}},', 'an account has been made for you at {{panel}}. Choose a password to use it.'],
    action: { label: 'Choose a password', link: '{{url}}/password/set#token={{token}}' },
    closing: ['This link works once, within {{validHours}} hours.'],
  },
  resetPassword: {
    subject: 'A new password for {{panel}}',
    opening: [
      'Hello {{username}},',
      'somebody, hopefully you, has asked for a new password for your account at {{panel}}.',
    ],
    action: { label: 'Choose a new password', link: '{{url}}/password/reset#token={{token}}' },
    closing: [
      'This link works once, within {{validMinutes}} minutes.',
      'If it was not you, nothing has happened and you need not do anything.',
    ],
  },
  emailChanged: {
    subject: 'Your e-mail address at {{panel}} has changed',
    opening: [
      'Hello {{username}},',
      'the e-mail address of your account at {{panel}} is now {{newEmail}}. Nothing more will be sent to this one.',
    ],
    closing: ['If it was not you, notify the operators of {{panel}} at once.'],
  },
  invitation: {
    subject: 'An invitation to a game server at {{panel}}',
    opening: [
      'Hello,',
      '{{inviter}} has given you access to the game server {{serverName}} at {{panel}}.',
      'It is there for you as soon as you have an account with this e-mail address.',
    ],
    action: { label: 'Open the panel', link: '{{url}}' },
    closing: ['If you do not know {{inviter}}, do nothing.'],
  },
  test: {
    subject: 'Test mail from {{panel}}',
    opening: ['This mail shows that {{panel}} can send mail.'],
    closing: ['It was sent because an administrator asked for it.'],
  },
};
