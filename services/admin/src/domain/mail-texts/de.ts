import type { MailTexts } from './mail-texts.js';

export const german: MailTexts = {
  labels: {
    choosePassword: 'Passwort wählen',
    resetPassword: 'Neues Passwort wählen',
    panel: 'Panel öffnen',
    invoices: 'Rechnungen öffnen',
    services: 'Dienste öffnen',
    credits: 'Guthaben öffnen',
  },
  templates: {
    setPassword: {
      subject: 'Dein Konto bei {{panel}}',
      opening: [
        'Hallo {{username}},',
        'für dich wurde ein Konto bei {{panel}} angelegt. Wähle ein Passwort, um es zu benutzen.',
      ],
      closing: ['Dieser Link gilt einmal, innerhalb von {{validHours}}.'],
    },
    resetPassword: {
      subject: 'Ein neues Passwort für {{panel}}',
      opening: [
        'Hallo {{username}},',
        'jemand, hoffentlich du selbst, hat ein neues Passwort für dein Konto bei {{panel}} angefordert.',
      ],
      closing: [
        'Dieser Link gilt einmal, innerhalb von {{validMinutes}}.',
        'Wenn du es nicht warst, ist nichts geschehen, und du musst nichts tun.',
      ],
    },
    emailChanged: {
      subject: 'Deine E-Mail-Adresse bei {{panel}} wurde geändert',
      opening: [
        'Hallo {{username}},',
        'die E-Mail-Adresse deines Kontos bei {{panel}} ist jetzt {{newEmail}}. An diese hier wird nichts mehr gesendet.',
      ],
      closing: ['Wenn du es nicht warst, verständige sofort die Betreiber von {{panel}}.'],
    },
    invitation: {
      subject: 'Eine Einladung zu einem Gameserver bei {{panel}}',
      opening: [
        'Hallo,',
        '{{inviter}} hat dir Zugriff auf den Gameserver {{serverName}} bei {{panel}} gegeben.',
        'Er steht dir offen, sobald du ein Konto mit dieser E-Mail-Adresse hast.',
      ],
      closing: ['Wenn du {{inviter}} nicht kennst, tu nichts.'],
    },
    'invoice.issued': {
      subject: 'Rechnung {{number}} von {{panel}}',
      opening: ['Hallo {{customerName}},', 'deine Rechnung {{number}} über {{total}} ist am {{dueAt}} fällig.'],
      closing: ['Vielen Dank für deine Bestellung.'],
    },
    'invoice.paid': {
      subject: 'Zahlung für {{number}} erhalten',
      opening: ['Hallo {{customerName}},', 'deine Rechnung {{number}} über {{total}} ist bezahlt.'],
      closing: ['Vielen Dank.'],
    },
    'invoice.reminder': {
      subject: 'Erinnerung: Rechnung {{number}} ist am {{dueAt}} fällig',
      opening: [
        'Hallo {{customerName}},',
        'deine Rechnung {{number}} über {{total}} ist am {{dueAt}} fällig und noch nicht bezahlt.',
      ],
      closing: ['Wenn du sie inzwischen bezahlt hast, musst du nichts tun.'],
    },
    'invoice.overdue': {
      subject: 'Rechnung {{number}} ist überfällig',
      opening: [
        'Hallo {{customerName}},',
        'deine Rechnung {{number}} über {{total}} war am {{dueAt}} fällig und ist nicht bezahlt.',
        'Dienste, die nicht bezahlt werden, werden gesperrt und später mit allen Dateien gelöscht.',
      ],
      closing: ['Wenn du sie inzwischen bezahlt hast, musst du nichts tun.'],
    },
    'invoice.refunded': {
      subject: 'Erstattung zu Rechnung {{number}}',
      opening: [
        'Hallo {{customerName}},',
        'zu deiner Rechnung {{number}} wurde Geld erstattet; im Panel findest du eine Gutschrift.',
      ],
      closing: ['Eine Erstattung auf eine Karte oder ein Konto braucht einige Tage.'],
    },
    'invoice.cancelled': {
      subject: 'Rechnung {{number}} wurde storniert',
      opening: [
        'Hallo {{customerName}},',
        'deine Rechnung {{number}} wurde storniert, bevor sie ganz bezahlt war; der Beleg dazu liegt bei.',
      ],
      closing: ['Du musst sie nicht bezahlen. Was davon gezahlt wurde, ist jetzt Guthaben.'],
    },
    'invoice.payment_failed': {
      subject: 'Die Zahlung von {{number}} ist fehlgeschlagen',
      opening: [
        'Hallo {{customerName}},',
        'deine hinterlegte Zahlungsart wurde für die Rechnung {{number}} über {{total}} abgelehnt.',
      ],
      closing: ['Bitte bezahle die Rechnung bis zum {{dueAt}} auf anderem Weg.'],
    },
    'service.ready': {
      subject: '{{serviceName}} ist bereit',
      opening: ['Hallo {{customerName}},', 'dein Server {{serviceName}} wurde erstellt.'],
      closing: ['Viel Spaß.'],
    },
    'service.suspended': {
      subject: '{{serviceName}} ist gesperrt',
      opening: ['Hallo {{customerName}},', 'dein Server {{serviceName}} wurde gesperrt.'],
      closing: ['Die Betreiber von {{panel}} können dir den Grund nennen.'],
    },
    'service.suspended.operator': {
      subject: '{{serviceName}} ist gesperrt',
      opening: ['Hallo {{customerName}},', 'die Betreiber von {{panel}} haben deinen Server {{serviceName}} gesperrt.'],
      closing: ['Bitte wende dich an sie: Nur sie können ihn wieder freigeben.'],
    },
    'service.suspended.dispute': {
      subject: '{{serviceName}} ist gesperrt',
      opening: [
        'Hallo {{customerName}},',
        'dein Server {{serviceName}} wurde gesperrt, weil eine Zahlung dafür bei deiner Bank oder deinem Zahlungsanbieter angefochten ist.',
      ],
      closing: [
        'Er ist wieder verfügbar, wenn die Anfechtung zurückgezogen oder zugunsten von {{panel}} entschieden wird. Wenn du die Zahlung nicht anfechten wolltest, zieh die Anfechtung dort zurück.',
      ],
    },
    'service.suspended.debt': {
      subject: '{{serviceName}} ist gesperrt',
      opening: [
        'Hallo {{customerName}},',
        'dein Server {{serviceName}} wurde gesperrt, weil eine Zahlung zurückgeholt wurde und ihr Betrag noch offen ist.',
      ],
      closing: [
        'Kaufe Guthaben, um die Schuld zu begleichen: Danach ist der Server wieder verfügbar. Bis dahin bleiben seine Dateien erhalten, aber nicht für immer.',
      ],
    },
    'service.suspended.overdue': {
      subject: '{{serviceName}} ist gesperrt',
      opening: [
        'Hallo {{customerName}},',
        'dein Server {{serviceName}} wurde gesperrt, weil seine Rechnung überfällig ist.',
      ],
      closing: [
        'Bezahle die Rechnung: Der Server ist wieder verfügbar, sobald sie bezahlt ist. Bis dahin bleiben seine Dateien erhalten, aber nicht für immer.',
      ],
    },
    'service.suspended.balance': {
      subject: '{{serviceName}} ist gesperrt',
      opening: [
        'Hallo {{customerName}},',
        'dein Server {{serviceName}} wurde gesperrt, weil dein Guthaben aufgebraucht ist.',
      ],
      closing: [
        'Kaufe Guthaben: Danach ist der Server wieder verfügbar. Bis dahin bleiben seine Dateien erhalten, aber nicht für immer.',
      ],
    },
    'service.unsuspended': {
      subject: '{{serviceName}} ist wieder verfügbar',
      opening: ['Hallo {{customerName}},', 'dein Server {{serviceName}} kann wieder gestartet werden.'],
      closing: ['Vielen Dank.'],
    },
    'service.cancelled': {
      subject: '{{serviceName}} ist gekündigt und endet am {{endsAt}}',
      opening: [
        'Hallo {{customerName}},',
        'dein Dienst {{serviceName}} ist gekündigt. Er endet am {{endsAt}}; dann wird sein Server mit allen Dateien gelöscht.',
      ],
      closing: ['Bis dahin kannst du die Kündigung bei deinen Diensten zurücknehmen, wenn du es dir anders überlegst.'],
    },
    'service.resumed': {
      subject: '{{serviceName}} ist nicht mehr gekündigt',
      opening: [
        'Hallo {{customerName}},',
        'die Kündigung deines Dienstes {{serviceName}} ist zurückgenommen. Der laufende Zeitraum endet am {{endsAt}}; dann wird er verlängert.',
      ],
      closing: ['Vielen Dank.'],
    },
    'service.ended': {
      subject: '{{serviceName}} ist beendet',
      opening: ['Hallo {{customerName}},', 'dein Dienst {{serviceName}} ist beendet, und sein Server wird gelöscht.'],
      closing: ['Vielen Dank, dass du unser Kunde warst.'],
    },
    'service.ended.cancelled': {
      subject: '{{serviceName}} ist beendet',
      opening: [
        'Hallo {{customerName}},',
        'dein Dienst {{serviceName}} ist beendet, weil er gekündigt wurde. Sein Server wird gelöscht.',
      ],
      closing: ['Vielen Dank, dass du unser Kunde warst.'],
    },
    'service.ended.unpaid': {
      subject: '{{serviceName}} ist beendet',
      opening: [
        'Hallo {{customerName}},',
        'dein Dienst {{serviceName}} ist beendet, weil er nicht bezahlt wurde. Sein Server wird gelöscht.',
      ],
      closing: ['Vielen Dank, dass du unser Kunde warst.'],
    },
    'service.ended.operator': {
      subject: '{{serviceName}} ist beendet',
      opening: [
        'Hallo {{customerName}},',
        'die Betreiber von {{panel}} haben deinen Dienst {{serviceName}} beendet. Sein Server wird gelöscht.',
      ],
      closing: ['Bitte wende dich an sie, wenn du Fragen hast.'],
    },
    'service.ended.dispute': {
      subject: '{{serviceName}} ist beendet',
      opening: [
        'Hallo {{customerName}},',
        'dein Dienst {{serviceName}} ist beendet, weil seine Zahlung nach einer Anfechtung zurückgeholt wurde. Sein Server wird gelöscht.',
      ],
      closing: ['Bitte wende dich an die Betreiber von {{panel}}, wenn du Fragen hast.'],
    },
    creditsLow: {
      subject: 'Dein Guthaben bei {{panel}} geht zur Neige',
      opening: [
        'Hallo {{customerName}},',
        'dein Guthaben beträgt noch {{balance}}. Server, die nach Verbrauch bezahlt werden, werden gesperrt, wenn nichts mehr da ist.',
      ],
      closing: ['Du kannst jederzeit Guthaben kaufen.'],
    },
    priceChange: {
      subject: 'Der Preis von {{serviceName}} ändert sich am {{startsAt}}',
      opening: [
        'Hallo {{customerName}},',
        'dein Dienst {{serviceName}} kostet zurzeit {{oldPrice}} je Zeitraum. Ab dem {{startsAt}} kostet ein Zeitraum {{newPrice}}.',
      ],
      closing: [
        'Bis dahin ändert sich nichts. Wenn du zu diesem Preis nicht weitermachen willst, kannst du den Dienst bis zu diesem Tag kündigen.',
      ],
    },
    test: {
      subject: 'Testmail von {{panel}}',
      opening: ['Diese Mail zeigt, dass {{panel}} Mails senden kann.'],
      closing: ['Sie wurde gesendet, weil ein Administrator darum gebeten hat.'],
    },
  },
};
