import type { MailTexts } from './mail-texts.js';

export const english: MailTexts = {
  labels: {
    choosePassword: 'Choose a password',
    resetPassword: 'Choose a new password',
    panel: 'Open the panel',
    invoices: 'Open your invoices',
    services: 'Open your services',
    credits: 'Open your credits',
  },
  templates: {
    setPassword: {
      subject: 'Your account at {{panel}}',
      opening: ['Hello {{username}},', 'an account has been made for you at {{panel}}. Choose a password to use it.'],
      closing: ['This link works once, within {{validHours}}.'],
    },
    resetPassword: {
      subject: 'A new password for {{panel}}',
      opening: [
        'Hello {{username}},',
        'somebody, hopefully you, has asked for a new password for your account at {{panel}}.',
      ],
      closing: [
        'This link works once, within {{validMinutes}}.',
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
      closing: ['If you do not know {{inviter}}, do nothing.'],
    },
    'invoice.issued': {
      subject: 'Invoice {{number}} of {{panel}}',
      opening: ['Hello {{customerName}},', 'your invoice {{number}} of {{total}} is due on {{dueAt}}.'],
      closing: ['Thank you for your order.'],
    },
    'invoice.paid': {
      subject: 'Payment received for {{number}}',
      opening: ['Hello {{customerName}},', 'your invoice {{number}} of {{total}} is paid.'],
      closing: ['Thank you.'],
    },
    'invoice.reminder': {
      subject: 'Reminder: invoice {{number}} is due on {{dueAt}}',
      opening: [
        'Hello {{customerName}},',
        'your invoice {{number}} of {{total}} is due on {{dueAt}} and not paid yet.',
      ],
      closing: ['If you have paid it in the meantime, you need not do anything.'],
    },
    'invoice.overdue': {
      subject: 'Invoice {{number}} is overdue',
      opening: [
        'Hello {{customerName}},',
        'your invoice {{number}} of {{total}} was due on {{dueAt}} and is not paid.',
        'Services that are not paid for are suspended, and later deleted with all their files.',
      ],
      closing: ['If you have paid it in the meantime, you need not do anything.'],
    },
    'invoice.refunded': {
      subject: 'Refund for invoice {{number}}',
      opening: [
        'Hello {{customerName}},',
        'money was returned for your invoice {{number}}; you find a credit note in the panel.',
      ],
      closing: ['A refund to a card or an account takes some days to arrive.'],
    },
    'invoice.cancelled': {
      subject: 'Invoice {{number}} was cancelled',
      opening: [
        'Hello {{customerName}},',
        'your invoice {{number}} was cancelled before it was wholly paid; the document about it is attached.',
      ],
      closing: ['You need not pay it. What was paid of it became credits.'],
    },
    'invoice.payment_failed': {
      subject: 'The payment of {{number}} failed',
      opening: [
        'Hello {{customerName}},',
        'your stored payment method was refused for invoice {{number}} of {{total}}.',
      ],
      closing: ['Please pay the invoice in another way until {{dueAt}}.'],
    },
    'service.ready': {
      subject: '{{serviceName}} is ready',
      opening: ['Hello {{customerName}},', 'your server {{serviceName}} has been created.'],
      closing: ['Have fun.'],
    },
    'service.suspended': {
      subject: '{{serviceName}} is suspended',
      opening: ['Hello {{customerName}},', 'your server {{serviceName}} was suspended.'],
      closing: ['The operators of {{panel}} can tell you why.'],
    },
    'service.suspended.operator': {
      subject: '{{serviceName}} is suspended',
      opening: ['Hello {{customerName}},', 'the operators of {{panel}} have suspended your server {{serviceName}}.'],
      closing: ['Please contact them: only they can make it available again.'],
    },
    'service.suspended.dispute': {
      subject: '{{serviceName}} is suspended',
      opening: [
        'Hello {{customerName}},',
        'your server {{serviceName}} was suspended, because a payment for it is disputed at your bank or payment provider.',
      ],
      closing: [
        'It is available again when the dispute is withdrawn or decided in favour of {{panel}}. If you did not mean to dispute the payment, withdraw the dispute there.',
      ],
    },
    'service.suspended.debt': {
      subject: '{{serviceName}} is suspended',
      opening: [
        'Hello {{customerName}},',
        'your server {{serviceName}} was suspended, because a payment was taken back and its amount is still owed.',
      ],
      closing: [
        'Buy credits to settle the debt: the server is available again after that. Its files are kept until then, but not for ever.',
      ],
    },
    'service.suspended.overdue': {
      subject: '{{serviceName}} is suspended',
      opening: [
        'Hello {{customerName}},',
        'your server {{serviceName}} was suspended, because its invoice is overdue.',
      ],
      closing: [
        'Pay the invoice: the server is available again as soon as it is paid. Its files are kept until then, but not for ever.',
      ],
    },
    'service.suspended.balance': {
      subject: '{{serviceName}} is suspended',
      opening: [
        'Hello {{customerName}},',
        'your server {{serviceName}} was suspended, because your credits are used up.',
      ],
      closing: [
        'Buy credits: the server is available again after that. Its files are kept until then, but not for ever.',
      ],
    },
    'service.unsuspended': {
      subject: '{{serviceName}} is available again',
      opening: ['Hello {{customerName}},', 'your server {{serviceName}} can be started again.'],
      closing: ['Thank you.'],
    },
    'service.cancelled': {
      subject: '{{serviceName}} is cancelled and ends on {{endsAt}}',
      opening: [
        'Hello {{customerName}},',
        'your service {{serviceName}} is cancelled. It ends on {{endsAt}}, and its server is then deleted with all its files.',
      ],
      closing: ['Until then you can resume it at your services, if you change your mind.'],
    },
    'service.resumed': {
      subject: '{{serviceName}} is no longer cancelled',
      opening: [
        'Hello {{customerName}},',
        'the cancellation of your service {{serviceName}} is withdrawn. Its current period ends on {{endsAt}}, and it is renewed then.',
      ],
      closing: ['Thank you.'],
    },
    'service.ended': {
      subject: '{{serviceName}} has ended',
      opening: ['Hello {{customerName}},', 'your service {{serviceName}} has ended, and its server is being deleted.'],
      closing: ['Thank you for having been our customer.'],
    },
    'service.ended.cancelled': {
      subject: '{{serviceName}} has ended',
      opening: [
        'Hello {{customerName}},',
        'your service {{serviceName}} has ended, because it was cancelled. Its server is being deleted.',
      ],
      closing: ['Thank you for having been our customer.'],
    },
    'service.ended.unpaid': {
      subject: '{{serviceName}} has ended',
      opening: [
        'Hello {{customerName}},',
        'your service {{serviceName}} has ended, because it was not paid for. Its server is being deleted.',
      ],
      closing: ['Thank you for having been our customer.'],
    },
    'service.ended.operator': {
      subject: '{{serviceName}} has ended',
      opening: [
        'Hello {{customerName}},',
        'the operators of {{panel}} have ended your service {{serviceName}}. Its server is being deleted.',
      ],
      closing: ['Please contact them if you have questions.'],
    },
    'service.ended.dispute': {
      subject: '{{serviceName}} has ended',
      opening: [
        'Hello {{customerName}},',
        'your service {{serviceName}} has ended, because its payment was taken back after a dispute. Its server is being deleted.',
      ],
      closing: ['Please contact the operators of {{panel}} if you have questions.'],
    },
    creditsLow: {
      subject: 'Your credits at {{panel}} are running low',
      opening: [
        'Hello {{customerName}},',
        'your credits are down to {{balance}}. Servers that are paid by use are suspended when nothing is left.',
      ],
      closing: ['You can buy credits at any time.'],
    },
    priceChange: {
      subject: 'The price of {{serviceName}} changes on {{startsAt}}',
      opening: [
        'Hello {{customerName}},',
        'your service {{serviceName}} costs {{oldPrice}} a period now. From {{startsAt}} on a period costs {{newPrice}}.',
      ],
      closing: [
        'Until then nothing changes. If you do not want to go on at that price, you can cancel the service until that day.',
      ],
    },
    test: {
      subject: 'Test mail from {{panel}}',
      opening: ['This mail shows that {{panel}} can send mail.'],
      closing: ['It was sent because an administrator asked for it.'],
    },
  },
};
