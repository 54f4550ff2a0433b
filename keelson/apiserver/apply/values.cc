#include "keelson/apiserver/apply/values.h"

#include <fmt/format.h>

#include <map>

#include "keelson/apiserver/apply/json_forms.h"
#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver {

namespace {

const JsonObject* ObjectOf(const Json* value) {
  return value != nullptr && value->is_object() ? &value->object() : nullptr;
}
const JsonList* ListOf(const Json* value) { return value != nullptr && value->is_list() ? &value->list() : nullptr; }

struct ElementLess {
  bool operator()(const PathElement& a, const PathElement& b) const { return Compare(a, b) < 0; }
};

// ---- checks ----

struct Problem {
  std::string path;
  std::string message;
};
using Problems = std::vector<Problem>;

void Check(const Shape& shape, const Json& value, Problems& problems);

void CheckChild(const PathElement& element, const Shape& shape, const Json& value, Problems& problems) {
  const size_t before = problems.size();
  Check(shape, value, problems);
  for (size_t i = before; i < problems.size(); ++i) problems[i].path.insert(0, element.ToString());
}

void CheckScalar(ScalarShape scalar, const Json& value, Problems& problems) {
  if (value.is_null()) return;
  switch (scalar) {
    case ScalarShape::kNumber:
      if (!value.is_number()) {
        problems.push_back({"", fmt::format("expected numeric (int or float), got {}", GoTypeName(value))});
      }
      return;
    case ScalarShape::kString:
      if (!value.is_string()) {
        problems.push_back(
            {"", fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}", GoSyntax(value))});
      }
      return;
    case ScalarShape::kBoolean:
      if (!value.is_bool()) problems.push_back({"", fmt::format("expected boolean, got &{{{}}}", GoText(value))});
      return;
    default:
      if (!IsScalar(value)) problems.push_back({"", fmt::format("expected any scalar, got &{{{}}}", GoText(value))});
  }
}

void Check(const Shape& shape, const Json& value, Problems& problems) {
  switch (FormOf(shape, &value)) {
    case Form::kScalar: return CheckScalar(shape.scalar, value, problems);
    case Form::kList: {
      if (value.is_null()) return;
      if (!value.is_list()) {
        problems.push_back({"", fmt::format("expected list, got &{{{}}}", GoText(value))});
        return;
      }
      std::map<PathElement, bool, ElementLess> seen;
      for (size_t i = 0; i < value.list().size(); ++i) {
        const Json& item = value.list()[i];
        if (shape.list_type == ListType::kAtomic) {
          CheckChild(PathElement::Index(static_cast<int64_t>(i)), *shape.item, item, problems);
          continue;
        }
        ItemElement at = ElementOf(shape, item);
        if (!at.element) {
          problems.push_back({"", fmt::format("element {}: {}", i, at.error)});
          return;
        }
        if (!seen.emplace(*at.element, true).second) {
          problems.push_back({"", fmt::format("duplicate entries for key {}", at.element->ToString())});
        }
        CheckChild(*at.element, *shape.item, item, problems);
      }
      return;
    }
    case Form::kMap: {
      if (value.is_null()) return;
      if (!value.is_object()) {
        problems.push_back({"", fmt::format("expected map, got &{{{}}}", GoText(value))});
        return;
      }
      for (const auto& [name, member] : value.object()) {
        const PathElement element = PathElement::Field(name);
        const Shape* known = shape.ShapeOfMember(name);
        if (known == nullptr) {
          problems.push_back({element.ToString(), "field not declared in schema"});
          return;
        }
        CheckChild(element, *known, member, problems);
      }
    }
  }
}

// ---- sets ----

// Whether the value itself is a field; what is in it goes to `below`.
bool Fields(const Shape& shape, const Json& value, FieldSet& below) {
  switch (FormOf(shape, &value)) {
    case Form::kScalar: return true;
    case Form::kList: {
      if (shape.list_type == ListType::kAtomic) return true;
      if (!value.is_list()) return false;
      std::map<PathElement, std::pair<const Json*, int>, ElementLess> items;
      for (const Json& item : value.list()) {
        ItemElement at = ElementOf(shape, item);
        if (at.element) ++items.try_emplace(*at.element, &item, 0).first->second.second;
      }
      for (const auto& [element, found] : items) {
        FieldNode& node = below.Append(element);
        node.member = true;
        if (found.second == 1) Fields(*shape.item, *found.first, node.children);
      }
      return false;
    }
    case Form::kMap: {
      if (shape.atomic_map) return true;
      if (!value.is_object()) return false;
      for (const auto& [name, member] : value.object()) {
        const Shape::Member* named = shape.FindMember(name);
        const Shape* known = named != nullptr ? named->shape : shape.other;
        if (known == nullptr) continue;
        FieldSet children;
        bool is_field = Fields(*known, member, children);
        is_field |= named == nullptr || member.is_null() || (member.is_object() && member.object().empty());
        if (!is_field && children.empty()) continue;
        FieldNode& node = below.Append(named != nullptr ? named->element : PathElement::Field(name));
        node.member = is_field;
        node.children = std::move(children);
      }
      return false;
    }
  }
  return false;
}

// ---- comparison ----

Change LeafChange(const Json* before, const Json* after) {
  if (before == nullptr) return {.added = true};
  if (after == nullptr) return {.removed = true};
  return {.modified = !SameValue(*before, *after)};
}

void CompareItems(const Shape& shape, const JsonList* before, const JsonList* after, Comparison& below) {
  struct Sides {
    std::vector<const Json*> before;
    std::vector<const Json*> after;
  };
  std::map<PathElement, Sides, ElementLess> items;
  const auto gather = [&](const JsonList* list, std::vector<const Json*> Sides::* side) {
    if (list == nullptr) return;
    for (const Json& item : *list) {
      ItemElement at = ElementOf(shape, item);
      if (at.element) (items[*at.element].*side).push_back(&item);
    }
  };
  gather(before, &Sides::before);
  gather(after, &Sides::after);
  for (const auto& [element, sides] : items) {
    Comparison inner;
    Change change;
    const Json* left = sides.before.empty() ? nullptr : sides.before[0];
    const Json* right = sides.after.empty() ? nullptr : sides.after[0];
    if (sides.before.size() <= 1 && sides.after.size() <= 1) {
      change = CompareValue(*shape.item, left, right, inner);
    } else if (sides.before.size() >= 2 && sides.after.size() >= 2) {
      // Elements of one key more than once are compared as if they were one field.
      bool same = sides.before.size() == sides.after.size();
      for (size_t i = 0; same && i < sides.before.size(); ++i) same = SameValue(*sides.before[i], *sides.after[i]);
      change.modified = !same;
    } else if (sides.before.size() >= 2) {
      if (right != nullptr) change = CompareValue(*shape.item, nullptr, right, inner);
      change.removed = true;
    } else {
      if (left != nullptr) change = CompareValue(*shape.item, left, nullptr, inner);
      change.added = true;
    }
    AddChange(element, change, std::move(inner), below, true);
  }
}

void CompareMembers(const Shape& shape, const JsonObject* before, const JsonObject* after, Comparison& below) {
  static const JsonObject kNone;
  const JsonObject& left = before != nullptr ? *before : kNone;
  const JsonObject& right = after != nullptr ? *after : kNone;
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() || b != right.end()) {
    int order = 0;
    if (a == left.end()) {
      order = 1;
    } else if (b == right.end()) {
      order = -1;
    } else {
      order = (*a).key.view().compare((*b).key.view());
    }
    const String& name = order <= 0 ? (*a).key : (*b).key;
    const Json* from = order <= 0 ? &(*a).value : nullptr;
    const Json* to = order >= 0 ? &(*b).value : nullptr;
    const Shape::Member* named = shape.FindMember(name);
    const Shape* known = named != nullptr ? named->shape : shape.other;
    if (known != nullptr) {
      Comparison inner;
      const Change change = CompareValue(*known, from, to, inner);
      if (change.added || change.modified || change.removed || !inner.empty()) {
        AddChange(named != nullptr ? named->element : PathElement::Field(name), change, std::move(inner), below, true);
      }
    }
    if (order <= 0) ++a;
    if (order >= 0) ++b;
  }
}

// As one form of the shape. `leaf` tells that the value was treated as one field.
Change CompareAs(Form form, const Shape& shape, const Json* before, const Json* after, Comparison& below, bool& leaf) {
  leaf = true;
  if (form == Form::kScalar) return LeafChange(before, after);
  if (form == Form::kList) {
    const JsonList* left = ListOf(before);
    const JsonList* right = ListOf(after);
    const bool empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    if (shape.list_type == ListType::kAtomic || empty) return LeafChange(before, after);
    CompareItems(shape, left, right, below);
  } else {
    const JsonObject* left = ObjectOf(before);
    const JsonObject* right = ObjectOf(after);
    const bool empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    if (shape.atomic_map || empty) return LeafChange(before, after);
    CompareMembers(shape, left, right, below);
  }
  leaf = false;
  return {};
}

// ---- merge ----

// Nothing: the result has no such value.
using Merged = std::optional<Json>;

Merged Merge(const Shape& shape, const Json* live, const Json* applied);

Merged MergeLeaf(const Json* live, const Json* applied) {
  if (applied != nullptr) return *applied;
  return live != nullptr ? Merged(*live) : std::nullopt;
}

struct IndexedList {
  std::vector<PathElement> elements;
  std::map<PathElement, const Json*, ElementLess> found;  // null where an element is there more than once
  std::vector<const Json*> items;
};

IndexedList IndexItems(const Shape& shape, const JsonList* list) {
  IndexedList indexed;
  if (list == nullptr) return indexed;
  for (const Json& item : *list) {
    ItemElement at = ElementOf(shape, item);
    if (!at.element) continue;
    const auto [place, is_new] = indexed.found.try_emplace(*at.element, &item);
    if (!is_new) place->second = nullptr;
    indexed.elements.push_back(*at.element);
    indexed.items.push_back(&item);
  }
  return indexed;
}

// Shared elements come in the order of the applied list; those of the live one stay where they are between them.
Merged MergeItems(const Shape& shape, const JsonList* live, const JsonList* applied) {
  const IndexedList left = IndexItems(shape, live);
  const IndexedList right = IndexItems(shape, applied);
  static const Json kNull;
  const auto value_of = [](const IndexedList& list, const PathElement& element) -> const Json* {
    const auto at = list.found.find(element);
    if (at == list.found.end()) return nullptr;
    return at->second == nullptr ? &kNull : at->second;
  };

  std::vector<const PathElement*> shared;
  for (const PathElement& element : right.elements) {
    if (left.found.contains(element)) shared.push_back(&element);
  }
  size_t next_shared = 0;
  const auto next = [&]() -> const PathElement* { return next_shared < shared.size() ? shared[next_shared] : nullptr; };

  JsonList out;
  const auto put = [&](const Json* from, const Json* to) {
    if (Merged merged = Merge(*shape.item, from, to)) out.push_back(std::move(*merged));
  };
  std::map<PathElement, bool, ElementLess> done;
  size_t l = 0;
  size_t r = 0;
  while (l < left.elements.size() || r < right.elements.size()) {
    if (l < left.elements.size() && r < right.elements.size()) {
      const PathElement& element = left.elements[l];
      if (element == right.elements[r]) {
        done.emplace(element, true);
        put(value_of(left, element), value_of(right, element));
        ++l, ++r, ++next_shared;
        continue;
      }
      if (right.found.contains(element) && next() != nullptr && !(*next() == element)) {
        ++l;
        continue;
      }
    }
    if (l < left.elements.size()) {
      const PathElement& element = left.elements[l];
      if (!right.found.contains(element)) {
        put(left.items[l], nullptr);
        ++l;
        continue;
      }
      if (done.contains(element)) ++l;
    }
    if (r < right.elements.size()) {
      const PathElement& element = right.elements[r];
      done.emplace(element, true);
      put(value_of(left, element), value_of(right, element));
      ++r;
      if (next() != nullptr && *next() == element) ++next_shared;
    }
  }
  if (out.empty()) return std::nullopt;
  return Json(std::move(out));
}

Merged MergeMembers(const Shape& shape, const JsonObject* live, const JsonObject* applied) {
  static const JsonObject kNone;
  const JsonObject& left = live != nullptr ? *live : kNone;
  const JsonObject& right = applied != nullptr ? *applied : kNone;
  // A copy of the live one, into which goes what the other says.
  JsonObject out;
  for (const auto& [name, value] : left) {
    const Json* other = right.find(name);
    const Shape* known = shape.ShapeOfMember(name);
    if (known == nullptr || other == nullptr) {
      out.Set(name, value);
    } else if (Merged merged = Merge(*known, &value, other)) {
      out.Set(name, std::move(*merged));
    }
  }
  for (const auto& [name, value] : right) {
    if (left.find(name) != nullptr) continue;
    const Shape* known = shape.ShapeOfMember(name);
    if (known == nullptr) continue;
    if (Merged merged = Merge(*known, nullptr, &value)) out.Set(name, std::move(*merged));
  }
  if (out.empty()) return std::nullopt;
  return Json(std::move(out));
}

Merged MergeAs(Form form, const Shape& shape, const Json* live, const Json* applied) {
  if (form == Form::kScalar) return MergeLeaf(live, applied);
  if (form == Form::kList) {
    const JsonList* left = ListOf(live);
    const JsonList* right = ListOf(applied);
    const bool empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
    if (shape.list_type == ListType::kAtomic || empty) return MergeLeaf(live, applied);
    return MergeItems(shape, left, right);
  }
  const JsonObject* left = ObjectOf(live);
  const JsonObject* right = ObjectOf(applied);
  const bool empty = (left == nullptr || left->empty()) && (right == nullptr || right->empty());
  if (shape.atomic_map || empty) return MergeLeaf(live, applied);
  return MergeMembers(shape, left, right);
}

// The applied value's form decides where the two differ in it; null takes that of the other.
Merged Merge(const Shape& shape, const Json* live, const Json* applied) {
  const Json* shown = applied == nullptr || (applied->is_null() && live != nullptr) ? live : applied;
  return MergeAs(FormOf(shape, shown), shape, live, applied);
}

}  // namespace

std::string CheckValue(const Shape& shape, const Json& value) {
  Problems problems;
  Check(shape, value, problems);
  if (problems.empty()) return {};
  const auto shown = [](const Problem& problem) {
    return problem.path.empty() ? problem.message : problem.path + ": " + problem.message;
  };
  if (problems.size() == 1) return shown(problems[0]);
  std::string text = "errors:";
  for (const Problem& problem : problems) text.append("\n  ").append(shown(problem));
  return text;
}

FieldSet FieldsOf(const Shape& shape, const Json& value) {
  FieldSet set;
  Fields(shape, value, set);
  return set;
}

void AddChange(const PathElement& element, Change change, Comparison&& below, Comparison& comparison, bool last) {
  const auto file = [&](bool self, FieldSet& children, FieldSet& set) {
    if (!self && children.empty()) return;
    FieldNode& node = last ? set.Append(element) : set.At(element);
    node.member |= self;
    if (!children.empty()) node.children = std::move(children);
  };
  file(change.added, below.added, comparison.added);
  file(change.modified, below.modified, comparison.modified);
  file(change.removed, below.removed, comparison.removed);
}

Change CompareValue(const Shape& shape, const Json* before, const Json* after, Comparison& below) {
  bool leaf = false;
  Change change;
  const Form left = FormOf(shape, before);
  const Form right = FormOf(shape, after);
  if (after == nullptr || before == nullptr || left == right) {
    change = CompareAs(after == nullptr ? left : right, shape, before, after, below, leaf);
  } else {
    // Of different forms, as a value of either.
    Comparison other;
    bool ignored = false;
    change = CompareAs(left, shape, before, after, other, ignored);
    const Change second = CompareAs(right, shape, before, after, below, leaf);
    change.modified |= second.modified;
    below.added = below.added.Union(other.added);
    below.modified = below.modified.Union(other.modified);
    below.removed = below.removed.Union(other.removed);
  }
  if (!leaf) {
    change.added |= before == nullptr;
    change.removed |= before != nullptr && after == nullptr;
  }
  return change;
}

Comparison CompareDocuments(const Shape& shape, const Json& before, const Json& after) {
  Comparison comparison;
  CompareValue(shape, &before, &after, comparison);
  return comparison;
}

Json MergeValues(const Shape& shape, const Json& live, const Json& applied) {
  Merged merged = Merge(shape, &live, &applied);
  return merged ? std::move(*merged) : Json();
}

Json WithoutItems(const Shape& shape, const Json& value, const FieldSet& items) {
  switch (FormOf(shape, &value)) {
    case Form::kScalar: return value;
    case Form::kList: {
      if (!value.is_list() || shape.list_type == ListType::kAtomic) return {};
      JsonList kept;
      for (const Json& item : value.list()) {
        ItemElement at = ElementOf(shape, item);
        const FieldNode* node = at.element ? items.Find(*at.element) : nullptr;
        if (node == nullptr) {
          kept.push_back(item);
        } else if (!node->member) {
          kept.push_back(WithoutItems(*shape.item, item, node->children));
        }
      }
      return kept.empty() ? Json() : Json(std::move(kept));
    }
    case Form::kMap: {
      if (!value.is_object() || shape.atomic_map) return {};
      JsonObject kept;
      for (const auto& [name, member] : value.object()) {
        const FieldNode* node = items.Find(PathElement::Field(name));
        if (node == nullptr) {
          kept.Set(name, member);
        } else if (!node->member) {
          const Shape* known = shape.ShapeOfMember(name);
          kept.Set(name, known != nullptr ? WithoutItems(*known, member, node->children) : member);
        }
      }
      return kept.empty() ? Json() : Json(std::move(kept));
    }
  }
  return value;
}

FieldSet WithNamedFields(const Shape& shape, const FieldSet& set) {
  FieldSet named;
  for (const FieldNode& node : set.nodes()) {
    const Shape* below = nullptr;
    bool is_field = false;
    if (node.element.kind() == PathElement::Kind::kField && shape.is_map) {
      is_field = shape.FindMember(node.element.name()) != nullptr;
      below = shape.ShapeOfMember(node.element.name());
    } else if (node.element.kind() == PathElement::Kind::kKey && shape.is_list) {
      below = shape.item;
    }
    FieldNode& copy = named.Append(node.element);
    copy.member = node.member || (is_field && !node.children.empty());
    static const Shape kNothing;
    if (!node.children.empty()) copy.children = WithNamedFields(below != nullptr ? *below : kNothing, node.children);
  }
  return named;
}

FieldSet FitToShape(const Shape& shape, const FieldSet& set) {
  FieldSet fitting;
  for (const FieldNode& node : set.nodes()) {
    const Shape* below = nullptr;
    if (shape.is_map && node.element.kind() == PathElement::Kind::kField) {
      below = shape.ShapeOfMember(node.element.name());
    } else if (shape.is_list) {
      below = shape.item;
    }
    FieldNode& copy = fitting.Append(node.element);
    copy.member = node.member;
    if (node.children.empty()) continue;
    const bool deduced =
        below == nullptr || (below->is_map && below->members.empty() && below->scalar != ScalarShape::kNone);
    if (deduced) {
      copy.children = node.children;
    } else if ((below->is_map && below->atomic_map) ||
               (!below->is_map && below->is_list && below->list_type == ListType::kAtomic)) {
      copy.member = true;
    } else {
      copy.children = FitToShape(*below, node.children);
    }
  }
  return fitting;
}

}  // namespace keelson::apiserver
