import type { MailTexts } from './mail-texts.js';

export const arabic: MailTexts = {
  labels: {
    choosePassword: 'اختيار كلمة مرور',
    resetPassword: 'اختيار كلمة مرور جديدة',
    panel: 'فتح اللوحة',
    invoices: 'فتح الفواتير',
    services: 'فتح الخدمات',
    credits: 'فتح الرصيد',
  },
  templates: {
    setPassword: {
      subject: 'حسابك لدى {{panel}}',
      opening: ['مرحبًا {{username}}،', 'أُنشئ لك حساب لدى {{panel}}. اختر كلمة مرور لاستخدامه.'],
      closing: ['يعمل هذا الرابط مرة واحدة، خلال {{validHours}}.'],
    },
    resetPassword: {
      subject: 'كلمة مرور جديدة لـ {{panel}}',
      opening: ['مرحبًا {{username}}،', 'طلب شخص ما، نأمل أنه أنت، كلمة مرور جديدة لحسابك لدى {{panel}}.'],
      closing: ['يعمل هذا الرابط مرة واحدة، خلال {{validMinutes}}.', 'إن لم تكن أنت، فلم يحدث شيء ولا يلزمك فعل شيء.'],
    },
    emailChanged: {
      subject: 'تغيّر عنوان بريدك الإلكتروني لدى {{panel}}',
      opening: [
        'مرحبًا {{username}}،',
        'أصبح عنوان البريد الإلكتروني لحسابك لدى {{panel}} هو {{newEmail}}. لن يُرسل شيء بعد الآن إلى هذا العنوان.',
      ],
      closing: ['إن لم تكن أنت، فأخبر مشغّلي {{panel}} فورًا.'],
    },
    invitation: {
      subject: 'دعوة إلى خادم ألعاب لدى {{panel}}',
      opening: [
        'مرحبًا،',
        'منحك {{inviter}} صلاحية الوصول إلى خادم الألعاب {{serverName}} لدى {{panel}}.',
        'سيكون متاحًا لك حالما يكون لديك حساب بعنوان البريد الإلكتروني هذا.',
      ],
      closing: ['إن كنت لا تعرف {{inviter}}، فلا تفعل شيئًا.'],
    },
    'invoice.issued': {
      subject: 'الفاتورة {{number}} من {{panel}}',
      opening: ['مرحبًا {{customerName}}،', 'فاتورتك {{number}} بمبلغ {{total}} تستحق في {{dueAt}}.'],
      closing: ['شكرًا لطلبك.'],
    },
    'invoice.paid': {
      subject: 'استُلم الدفع للفاتورة {{number}}',
      opening: ['مرحبًا {{customerName}}،', 'دُفعت فاتورتك {{number}} بمبلغ {{total}}.'],
      closing: ['شكرًا لك.'],
    },
    'invoice.reminder': {
      subject: 'تذكير: الفاتورة {{number}} تستحق في {{dueAt}}',
      opening: ['مرحبًا {{customerName}}،', 'فاتورتك {{number}} بمبلغ {{total}} تستحق في {{dueAt}} ولم تُدفع بعد.'],
      closing: ['إن كنت قد دفعتها في هذه الأثناء، فلا يلزمك فعل شيء.'],
    },
    'invoice.overdue': {
      subject: 'الفاتورة {{number}} متأخرة',
      opening: [
        'مرحبًا {{customerName}}،',
        'كانت فاتورتك {{number}} بمبلغ {{total}} مستحقة في {{dueAt}} ولم تُدفع.',
        'الخدمات التي لا تُدفع تُعلَّق، ثم تُحذف مع كل ملفاتها.',
      ],
      closing: ['إن كنت قد دفعتها في هذه الأثناء، فلا يلزمك فعل شيء.'],
    },
    'invoice.refunded': {
      subject: 'استرداد للفاتورة {{number}}',
      opening: ['مرحبًا {{customerName}}،', 'أُعيد مبلغ عن فاتورتك {{number}}؛ تجد إشعارًا دائنًا في اللوحة.'],
      closing: ['يستغرق وصول الاسترداد إلى بطاقة أو حساب بضعة أيام.'],
    },
    'invoice.cancelled': {
      subject: 'أُلغيت الفاتورة {{number}}',
      opening: ['مرحبًا {{customerName}}،', 'أُلغيت فاتورتك {{number}} قبل دفعها كاملةً؛ تجد المستند الخاص بذلك مرفقًا.'],
      closing: ['لا يلزمك دفعها. ما دُفع منها أصبح رصيدًا.'],
    },
    'invoice.payment_failed': {
      subject: 'فشل دفع الفاتورة {{number}}',
      opening: ['مرحبًا {{customerName}}،', 'رُفضت وسيلة الدفع المحفوظة للفاتورة {{number}} بمبلغ {{total}}.'],
      closing: ['يُرجى دفع الفاتورة بطريقة أخرى حتى {{dueAt}}.'],
    },
    'service.ready': {
      subject: '{{serviceName}} جاهز',
      opening: ['مرحبًا {{customerName}}،', 'أُنشئ خادمك {{serviceName}}.'],
      closing: ['استمتع باللعب.'],
    },
    'service.suspended': {
      subject: 'عُلّق {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'عُلّق خادمك {{serviceName}}.'],
      closing: ['يستطيع مشغّلو {{panel}} إخبارك بالسبب.'],
    },
    'service.suspended.operator': {
      subject: 'عُلّق {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'علّق مشغّلو {{panel}} خادمك {{serviceName}}.'],
      closing: ['يُرجى التواصل معهم: لا يستطيع إتاحته من جديد سواهم.'],
    },
    'service.suspended.dispute': {
      subject: 'عُلّق {{serviceName}}',
      opening: [
        'مرحبًا {{customerName}}،',
        'عُلّق خادمك {{serviceName}}، لأن دفعة له محل اعتراض لدى مصرفك أو مزوّد الدفع.',
      ],
      closing: [
        'يصبح متاحًا من جديد عند سحب الاعتراض أو الفصل فيه لصالح {{panel}}. إن لم تقصد الاعتراض على الدفعة، فاسحب الاعتراض هناك.',
      ],
    },
    'service.suspended.debt': {
      subject: 'عُلّق {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'عُلّق خادمك {{serviceName}}، لأن دفعة استُرجعت ولا يزال مبلغها مستحقًا.'],
      closing: ['اشترِ رصيدًا لتسديد الدين: يصبح الخادم متاحًا بعد ذلك. تبقى ملفاته حتى ذلك الحين، ولكن ليس إلى الأبد.'],
    },
    'service.suspended.overdue': {
      subject: 'عُلّق {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'عُلّق خادمك {{serviceName}}، لأن فاتورته متأخرة.'],
      closing: ['ادفع الفاتورة: يصبح الخادم متاحًا حالما تُدفع. تبقى ملفاته حتى ذلك الحين، ولكن ليس إلى الأبد.'],
    },
    'service.suspended.balance': {
      subject: 'عُلّق {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'عُلّق خادمك {{serviceName}}، لأن رصيدك نفد.'],
      closing: ['اشترِ رصيدًا: يصبح الخادم متاحًا بعد ذلك. تبقى ملفاته حتى ذلك الحين، ولكن ليس إلى الأبد.'],
    },
    'service.unsuspended': {
      subject: '{{serviceName}} متاح من جديد',
      opening: ['مرحبًا {{customerName}}،', 'يمكن تشغيل خادمك {{serviceName}} من جديد.'],
      closing: ['شكرًا لك.'],
    },
    'service.cancelled': {
      subject: 'أُلغيت {{serviceName}} وتنتهي في {{endsAt}}',
      opening: [
        'مرحبًا {{customerName}}،',
        'أُلغيت خدمتك {{serviceName}}. تنتهي في {{endsAt}}، ثم يُحذف خادمها مع كل ملفاته.',
      ],
      closing: ['حتى ذلك الحين يمكنك التراجع عن الإلغاء في خدماتك إن غيّرت رأيك.'],
    },
    'service.resumed': {
      subject: 'لم تعد {{serviceName}} ملغاة',
      opening: [
        'مرحبًا {{customerName}}،',
        'تم التراجع عن إلغاء خدمتك {{serviceName}}. تنتهي فترتها الحالية في {{endsAt}}، ثم تُجدَّد.',
      ],
      closing: ['شكرًا لك.'],
    },
    'service.ended': {
      subject: 'انتهت {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'انتهت خدمتك {{serviceName}}، ويجري حذف خادمها.'],
      closing: ['شكرًا لأنك كنت عميلنا.'],
    },
    'service.ended.cancelled': {
      subject: 'انتهت {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'انتهت خدمتك {{serviceName}} لأنها أُلغيت. يجري حذف خادمها.'],
      closing: ['شكرًا لأنك كنت عميلنا.'],
    },
    'service.ended.unpaid': {
      subject: 'انتهت {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'انتهت خدمتك {{serviceName}} لأنها لم تُدفع. يجري حذف خادمها.'],
      closing: ['شكرًا لأنك كنت عميلنا.'],
    },
    'service.ended.operator': {
      subject: 'انتهت {{serviceName}}',
      opening: ['مرحبًا {{customerName}}،', 'أنهى مشغّلو {{panel}} خدمتك {{serviceName}}. يجري حذف خادمها.'],
      closing: ['يُرجى التواصل معهم إن كانت لديك أسئلة.'],
    },
    'service.ended.dispute': {
      subject: 'انتهت {{serviceName}}',
      opening: [
        'مرحبًا {{customerName}}،',
        'انتهت خدمتك {{serviceName}} لأن دفعتها استُرجعت بعد اعتراض. يجري حذف خادمها.',
      ],
      closing: ['يُرجى التواصل مع مشغّلي {{panel}} إن كانت لديك أسئلة.'],
    },
    creditsLow: {
      subject: 'رصيدك لدى {{panel}} يوشك على النفاد',
      opening: [
        'مرحبًا {{customerName}}،',
        'انخفض رصيدك إلى {{balance}}. تُعلَّق الخوادم التي تُدفع حسب الاستخدام عندما ينفد الرصيد.',
      ],
      closing: ['يمكنك شراء رصيد في أي وقت.'],
    },
    priceChange: {
      subject: 'يتغير سعر {{serviceName}} في {{startsAt}}',
      opening: [
        'مرحبًا {{customerName}}،',
        'تكلف خدمتك {{serviceName}} حاليًا {{oldPrice}} لكل فترة. ابتداءً من {{startsAt}} تكلف الفترة {{newPrice}}.',
      ],
      closing: ['حتى ذلك الحين لا يتغير شيء. إن لم ترغب في الاستمرار بهذا السعر فيمكنك إلغاء الخدمة حتى ذلك اليوم.'],
    },
    test: {
      subject: 'رسالة تجريبية من {{panel}}',
      opening: ['تُظهر هذه الرسالة أن {{panel}} يستطيع إرسال البريد.'],
      closing: ['أُرسلت لأن مسؤولًا طلبها.'],
    },
  },
};
