// +kubebuilder:webhookconfiguration:mutating=true,name=book-defaults
// +kubebuilder:webhookconfiguration:mutating=false,name="book-checks"

#pragma once

// +kubebuilder:webhook:path=/mutate,mutating=true,failurePolicy=fail,sideEffects=None,groups=example.com,resources=books,verbs=create,versions=v1,name=m.books.example.com,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=books,verbs=update,versions=v1,name=v.books.example.com,admissionReviewVersions=v1

// Book is a book.
struct Book {};
