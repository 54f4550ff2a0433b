// +kubebuilder:webhook:path=/mutate-example-com-v1-book,mutating=true,failurePolicy=fail,sideEffects=None,groups=example.com,resources=books,verbs=create;update,versions=v1,name=mbook.example.com,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-example-com-v1-book,mutating=false,failurePolicy=Ignore,sideEffects=NoneOnDryRun,groups=example.com,resources=books;books/status,verbs=create;update;delete,versions=v1;v1beta1,name=vbook.example.com,admissionReviewVersions=v1;v1beta1

// Book is handled.
void Book() {}

// +kubebuilder:webhook:verbs=CREATE;Connect,url="https://hooks.example.com:8443/mutate",mutating=true,failurePolicy=IGNORE,matchPolicy=Exact,groups=core;apps,resources=pods;deployments,versions=v1,name=apods.example.com,sideEffects=none,timeoutSeconds=5,admissionReviewVersions={v1,v1beta1},reinvocationPolicy=IfNeeded
// +kubebuilder:webhook:verbs="*",path=/all,mutating=false,failurePolicy=fail,matchPolicy=equivalent,groups=*,resources=*/*,versions=*,name=everything.example.com,sideEffects=noneondryrun,timeoutSeconds=30,admissionReviewVersions=v1,serviceName=hooks,serviceNamespace=platform,servicePort=9443,webhookVersions=v1
// +kubebuilder:webhook:verbs=delete,path=/never,mutating=true,failurePolicy=fail,groups="",resources=secrets,versions=v1,name=zsecrets.example.com,sideEffects=None,admissionReviewVersions=v1,reinvocationPolicy=never,serviceName="hooks"

// Others are handled too.
void Others() {}
