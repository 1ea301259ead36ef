# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops of a function's source: the variables that count them, their changes, and the memory that they access.

What the source says is written in terms of its variables: atoms ("var", id) for a variable's value, ("address", id) for its place,
("parameter", id) for what a parameter is where its function begins and ("mem", address, size) for what memory holds."""
from .source import INTEGERS, UNSIGNED, children, is_vector, plain_type, pointee, size_of, type_of, walk
from .terms import sext, term, unknown, zext

LOOPS = ("ForStmt", "WhileStmt", "DoStmt", "CXXForRangeStmt")
CONDITIONAL = ("IfStmt", "ConditionalOperator", "BinaryConditionalOperator", "SwitchStmt", "LambdaExpr", "CXXTryStmt")
# Functions without memory accesses, which compilers widen or turn into one instruction.
PURE = frozenset(f + suffix for f in ("sqrt", "fabs", "abs", "labs", "fma", "fmin", "fmax", "floor", "ceil", "trunc", "rint", "nearbyint", "exp",
                                      "log", "pow", "sin", "cos", "copysign", "round") for suffix in ("", "f"))


class Variable:
    """A variable of the function: a parameter, a local one, or (line None) one from outside."""

    def __init__(self, identity, name, kind, line, is_parameter, is_local, loop, initial):
        self.identity, self.name, self.type, self.line = identity, name, kind, line
        self.is_parameter, self.is_local, self.loop, self.initial = is_parameter, is_local, loop, initial

    def is_reference(self):
        return self.type.endswith("&")


class Use:
    """One use of a variable: 'read', 'modified' or 'escaped' (its address goes anywhere)."""

    def __init__(self, variable, kind, node, chain, order, step, is_value_used):
        self.variable, self.kind, self.node, self.chain, self.order = variable, kind, node, chain, order
        self.step = step  # by how much a modification changes it; None where that isn't a constant
        self.is_value_used = is_value_used  # of a modification: whether its new value is used at once


class Access:
    """Memory that a loop names: its address, its size, whether it's read and written, whether in every iteration (of the loops inside of
    that one, too, that it is in), and those loops."""

    def __init__(self, address, size, is_read, is_written, is_unconditional, loops):
        self.address, self.size, self.loops = address, size, loops
        self.is_read, self.is_written, self.is_unconditional = is_read, is_written, is_unconditional

    def replaced(self, replacement):
        """The access with other terms for the atoms of its address."""
        return Access(self.address.replaced(replacement), self.size, self.is_read, self.is_written, self.is_unconditional, ())


class SourceLoop:
    """A loop of the source."""

    def __init__(self, node, parent, in_parallel):
        self.node, self.parent, self.extent = node, parent, node["extent"]
        self.in_parallel = in_parallel  # whether threads share its iterations
        parts = children(node)
        self.init = self.condition = self.increment = None
        if node["kind"] == "ForStmt" and len(parts) >= 5:
            self.init, _, self.condition, self.increment, self.body = parts[:5]
        elif node["kind"] == "DoStmt" and len(parts) >= 2:
            self.body, self.condition = parts[:2]
        elif node["kind"] == "WhileStmt" and len(parts) >= 2:
            self.condition, self.body = parts[-2:]
        else:
            self.body = parts[-1] if parts else node

    def ancestors(self):
        """The loops around it, the nearest first."""
        loop = self.parent
        while loop is not None:
            yield loop
            loop = loop.parent

    def iteration(self):
        """The nodes of one iteration, in execution order."""
        if self.node["kind"] == "DoStmt":
            return [n for n in (self.body, self.condition) if n]
        return [n for n in (self.condition, self.body, self.increment) if n]

    def contains(self, line, column):
        """Whether it contains a place of the line table; a column of 0 means the whole line."""
        (first, first_column), (last, last_column) = self.extent
        if column == 0:
            return first <= line <= last
        return (first, first_column) <= (line, column) <= (last, last_column + 1)


class SourceFunction:
    """A function's variables, their uses, its loops and its calls."""

    def __init__(self, node, facts):
        """facts: information about the rest of the translation unit, an annotator.Facts."""
        self.node, self.file, self.extent, self._facts = node, node["file"], node["extent"], facts
        self.variables, self.loops, self.uses, self.calls = {}, [], [], []
        self.parameters = []
        self._order = 0
        self._aliases = {}
        for one in walk(node):
            kind = one.get("type", {})
            if "desugaredQualType" in kind:
                self._aliases[plain_type(kind["qualType"])] = plain_type(kind["desugaredQualType"])
        self._visit(node, [], None, False)
        self.escaped = {u.variable for u in self.uses if u.kind == "escaped"}

    def is_ambiguous(self, variable):
        """Whether another variable with the same name is declared in the same line, so debug information can't distinguish them."""
        used = {u.variable for u in self.uses}  # A captured statement lists its variables once more.
        return any(v.identity in used and v is not variable and (v.name, v.line) == (variable.name, variable.line) for v in self.variables.values())

    def is_only(self, variable):
        """Whether it is the function's only variable with its name."""
        return not any(v is not variable and v.name == variable.name for v in self.variables.values())

    def size(self, kind):
        return size_of(self._aliases.get(kind, kind), self._facts.size_of_structure)

    # Reading

    def _visit(self, node, ancestors, loop, in_parallel):
        kind = node.get("kind", "")
        in_lambda = any(a.get("kind") == "LambdaExpr" for a in ancestors)
        if kind in ("VarDecl", "ParmVarDecl") and "id" in node:
            if not in_lambda:  # A lambda expression is a function of its own.
                self._declare(node, ancestors, loop)
        elif kind == "DeclRefExpr" and node.get("referencedDecl", {}).get("kind") in ("VarDecl", "ParmVarDecl"):
            self._use(node, ancestors, loop)
        elif kind in ("CallExpr", "CXXMemberCallExpr", "CXXOperatorCallExpr"):
            self.calls.append((node, loop))
        if kind.startswith("OMP") and kind.endswith("Directive"):
            in_parallel = in_parallel or kind != "OMPSimdDirective"
        if kind in LOOPS and node.get("extent") and not in_lambda:
            loop = SourceLoop(node, loop, in_parallel)
            self.loops.append(loop)
        if kind.endswith("Clause"):
            return
        for child in children(node):
            self._visit(child, ancestors + [node], loop, in_parallel)

    def _declare(self, node, ancestors, loop):
        if node["id"] in self.variables:
            return  # The variables of a captured statement are listed once more.
        is_parameter = node["kind"] == "ParmVarDecl" and len(ancestors) == 1
        initial = children(node)[-1] if node.get("init") and children(node) else None
        local = node.get("storageClass") not in ("static", "extern")
        self.variables[node["id"]] = Variable(
            node["id"], node.get("name", ""), type_of(node), node["line"], is_parameter, local, loop, initial)
        if is_parameter:
            self.parameters.append(node["id"])

    def _variable(self, reference):
        identity = reference["id"]
        if identity not in self.variables:
            self.variables[identity] = Variable(identity, reference.get("name", ""), type_of(reference), None, False, False, None, None)
        return identity

    def _use(self, node, ancestors, loop):
        identity = self._variable(node["referencedDecl"])
        self._order += 1
        kind, at, step, used = "escaped", node, None, False
        for depth in range(len(ancestors) - 1, -1, -1):
            parent = ancestors[depth]
            what, opcode = parent.get("kind", ""), parent.get("opcode", "")
            first = children(parent)[0] is at if children(parent) else False
            if what == "ImplicitCastExpr" and parent.get("castKind") in ("LValueToRValue", "ArrayToPointerDecay", "FunctionToPointerDecay"):
                kind = "read"
            elif what in ("ParenExpr", "ConstantExpr") or what == "ImplicitCastExpr" or what == "MemberExpr" and not parent.get("isArrow") or (
                    what == "ArraySubscriptExpr" and first):
                at = parent
                continue
            elif what == "UnaryOperator" and opcode in ("++", "--"):
                kind, step = "modified", 1 if opcode == "++" else -1
                used = not parent.get("isPostfix") and not _is_discarded(parent, ancestors[:depth])
            elif what == "CompoundAssignOperator" and first:
                kind, step = "modified", self._constant_step(parent, opcode)
                used = not _is_discarded(parent, ancestors[:depth])
            elif what == "BinaryOperator" and opcode == "=" and first:
                kind, step = "modified", self._assigned_step(parent, identity)
                used = not _is_discarded(parent, ancestors[:depth])
            elif what in ("CapturedStmt", "CompoundStmt", "UnaryExprOrTypeTraitExpr") or what.startswith("OMP"):
                kind = "read"
            if at is not node and at.get("kind") in ("MemberExpr", "ArraySubscriptExpr"):
                step = None
            at = parent
            break
        if kind == "modified" and any(a.get("kind") == "LambdaExpr" for a in ancestors):
            kind = "escaped"
        self.uses.append(Use(identity, kind, at, [*ancestors, node], self._order, step, used))

    def _constant_step(self, node, opcode):
        number = self.value(children(node)[1]) if opcode in ("+=", "-=") else None
        number = number.constant() if number is not None else None
        return number if number is None or opcode == "+=" else -number

    def _assigned_step(self, node, identity):
        value = self.value(children(node)[1])
        difference = (value - unknown("var", identity)) if value is not None else None
        return difference.constant() if difference is not None else None

    # Expressions

    def value(self, node):
        """An expression's value as a term; None if it isn't supported."""
        kind, inner = node.get("kind", ""), children(node)
        if kind in ("ParenExpr", "ConstantExpr", "ExprWithCleanups", "SubstNonTypeTemplateParmExpr", "CXXDefaultArgExpr", "MaterializeTemporaryExpr"):
            return self.value(inner[-1]) if inner else None
        if kind in ("IntegerLiteral", "CharacterLiteral"):
            return term(int(node["value"]))
        if kind == "DeclRefExpr" and node["referencedDecl"].get("kind") == "EnumConstantDecl":
            number = self._facts.enumerator(node["referencedDecl"]["name"])
            return term(number) if number is not None else None
        if kind == "CXXThisExpr":
            return unknown("var", "this")
        if kind in ("ImplicitCastExpr", "CStyleCastExpr", "CXXStaticCastExpr", "CXXFunctionalCastExpr"):
            return self._cast(node, inner[-1] if inner else {})
        if kind == "UnaryOperator":
            return self._unary(node, inner[0])
        if kind == "BinaryOperator" and len(inner) == 2:
            return self._binary(node, *inner)
        return None

    def _cast(self, node, inner):
        cast = node.get("castKind")
        if cast == "LValueToRValue":
            return self._loaded(inner)
        if cast == "ArrayToPointerDecay":
            return self.address(inner)
        value = self.value(inner)
        if value is None or cast in ("NoOp", "BitCast"):
            return value
        if cast == "IntegralCast":
            source, target = (INTEGERS.get(type_of(n)) for n in (inner, node))
            if source is None or target is None or target < 4:
                return value if source and target and source <= target else None
            return self.extended(value, type_of(inner)) if source == 4 and target == 8 else value
        return None

    @staticmethod
    def extended(value, kind):
        """A value of a 32-bit type as one of 64 bits; shorter ones have been extended before."""
        if INTEGERS.get(kind) != 4:
            return value
        return zext(value) if kind in UNSIGNED else sext(value)

    def _loaded(self, lvalue):
        while lvalue.get("kind") == "ParenExpr":
            lvalue = children(lvalue)[0]
        if lvalue.get("kind") == "UnaryOperator" and lvalue.get("opcode") in ("++", "--"):
            inner = self._loaded(children(lvalue)[0])  # a prefix operator's result in C++
            return self._moved(inner, lvalue) if inner is not None else None
        if lvalue.get("kind") == "DeclRefExpr":
            reference = lvalue["referencedDecl"]
            if reference.get("kind") not in ("VarDecl", "ParmVarDecl"):
                return None
            identity = self._variable(reference)
            if not self.variables[identity].is_reference():
                return unknown("var", identity)
        address, size = self.address(lvalue), self.size(type_of(lvalue))
        return unknown("mem", address, size) if address is not None and size else None

    def _moved(self, value, node):
        step = 1 if node["opcode"] == "++" else -1
        target = pointee(type_of(node))
        size = self.size(target) if target else 1
        return value + step * size if size else None

    def _unary(self, node, inner):
        opcode = node.get("opcode")
        if opcode == "&":
            return self.address(inner)
        if opcode in ("++", "--"):
            value = self._loaded(inner)
            return value if value is None or node.get("isPostfix") else self._moved(value, node)
        value = self.value(inner)
        if value is None:
            return None
        return {"-": -value, "+": value, "~": -value - 1}.get(opcode)

    def _binary(self, node, left, right):
        opcode = node.get("opcode")
        if opcode == ",":
            return self.value(right)
        a, b = self.value(left), self.value(right)
        if a is None or b is None or opcode not in ("+", "-", "*", "<<"):
            return None
        if opcode == "<<":
            return a * (1 << b.constant()) if b.constant() is not None and 0 <= b.constant() < 64 else None
        if opcode == "*":
            return a * b
        types = [type_of(left), type_of(right)]
        targets = [pointee(t) for t in types]
        if targets[0] and targets[1]:
            return None
        for number, target in enumerate(targets):
            if target:
                size = self.size(target)
                if not size:
                    return None
                index = self.extended((a, b)[1 - number], types[1 - number]) * size
                return a - index if opcode == "-" else (a, b)[number] + index
        return a + b if opcode == "+" else a - b

    def address(self, node):
        """The address of an lvalue as a term; None if it isn't supported."""
        kind, inner = node.get("kind", ""), children(node)
        if kind == "ParenExpr":
            return self.address(inner[0])
        if kind == "ImplicitCastExpr" and node.get("castKind") in ("NoOp",):
            return self.address(inner[0])
        if kind == "DeclRefExpr" and node["referencedDecl"].get("kind") in ("VarDecl", "ParmVarDecl"):
            identity = self._variable(node["referencedDecl"])
            return unknown("var" if self.variables[identity].is_reference() else "address", identity)
        if kind == "ArraySubscriptExpr" and len(inner) == 2:
            base, index = self.value(inner[0]), self.value(inner[1])
            size = self.size(type_of(node))
            if base is None or index is None or not size or pointee(type_of(inner[0])) is None:
                return None
            return base + self.extended(index, type_of(inner[1])) * size
        if kind == "UnaryOperator" and node.get("opcode") == "*":
            return self.value(inner[0])
        if kind == "MemberExpr" and inner:
            base = self.value(inner[0]) if node.get("isArrow") else self.address(inner[0])
            holder = pointee(type_of(inner[0])) if node.get("isArrow") else type_of(inner[0])
            offset = self._facts.member_offset(holder, node.get("name", "")) if holder else None
            return base + offset if base is not None and offset is not None else None
        return None

    # Loops

    def innermost_loop(self, places):
        """The innermost loop that contains all places (line, column); None if there is none, or several do."""
        around = [loop for loop in self.loops if all(loop.contains(*place) for place in places)]
        innermost = [loop for loop in around if not any(loop in other.ancestors() for other in around)]
        return innermost[0] if len(innermost) == 1 else None

    def _in_iteration(self, use, loop):
        """The number of the part of the loop's iteration that contains a use; None if none does."""
        for number, part in enumerate(loop.iteration()):
            if any(node is part for node in use.chain):
                return number
        return None

    def modified_in(self, loop):
        """The variables that an iteration of the loop changes, directly or through other code."""
        return self.escaped | {u.variable for u in self.uses if u.kind == "modified" and self._in_iteration(u, loop) is not None}

    def declared_in(self, loop):
        return {v.identity for v in self.variables.values() if v.loop is loop or v.loop is not None and loop in v.loop.ancestors()
                } - {v.identity for v in self.variables.values() if loop.init and v.initial is not None and any(n is v.initial for n in walk(loop.init))}

    def has_calls(self, loop):
        """Whether it calls functions that may access memory."""
        for node, around in self.calls:
            if around is not loop and (around is None or loop not in around.ancestors()):
                continue
            callee = next((n for n in walk(children(node)[0]) if n.get("kind") == "DeclRefExpr"), None) if children(node) else None
            reference = callee["referencedDecl"] if callee else {"name": ""}
            if reference["name"] not in PURE and not reference["name"].startswith("__builtin_") and not (
                    reference["name"] and any(is_pure(f) for f in self._facts.functions(reference["name"]) if f.get("type") == reference.get("type"))):
                return True
        return False

    def elements_changed_in(self, loop):
        """The arrays and structures in which several iterations change the same memory."""
        counted = self.inductions(loop)[0]
        return {a[1] for access in self.accesses(loop)[0] if access.is_written and not any(
            a[0] == "var" and a[1] in counted for a in access.address.atoms()) for a in access.address.atoms() if a[0] == "address"}

    def exit_in_the_middle(self, loop):
        """How an iteration may leave the loop other than by its condition; None if it can't."""
        for part in loop.iteration():
            found = _leaving(part, True)
            if found:
                return found
        if loop.condition:
            counted = set(self.inductions(loop)[0])
            read = {u.variable for u in self.uses if any(n is loop.condition for n in u.chain)} & self.modified_in(loop)
            if read - counted or any(_is_memory(n) and self._varies(n, loop) for n in walk(loop.condition)):
                return "a condition of other things than its counter"
        return None

    def _varies(self, node, loop):
        """Whether a node may refer to different objects in different iterations."""
        address = self.address(node)
        return address is None or any(a[0] == "var" and a[1] in self.modified_in(loop) for a in address.atoms())

    def inductions(self, loop):
        """({variable: step of one iteration}, {other variable that the loop changes: the reason})."""
        steps, reasons = {}, {}
        for identity in {u.variable for u in self.uses if u.kind == "modified" and self._in_iteration(u, loop) is not None}:
            variable = self.variables[identity]
            step, why = self._step(variable, loop)
            if why is None:
                steps[identity] = step
            else:
                reasons[identity] = why
        return steps, reasons

    def _step(self, variable, loop):
        """(step of an iteration, None) or (None, the reason why there is none)."""
        uses = [(u, self._in_iteration(u, loop)) for u in self.uses if u.variable == variable.identity]
        uses = [(u, part) for u, part in uses if part is not None]
        changes = [(u, part) for u, part in uses if u.kind == "modified"]
        if variable.identity in self.escaped:
            return None, "its address is taken"
        if not variable.is_local:
            return None, "it isn't a local variable"
        if variable.loop is not None and (variable.loop is loop and not self._is_of_init(variable, loop) or loop in variable.loop.ancestors()):
            return None, "every iteration has its own"
        if len(changes) > 1:
            return None, "it changes in more than one place"
        (change, part), = changes
        if not change.step:
            return None, "it doesn't change by a constant"
        if _is_conditional(change.chain, loop):
            return None, "it doesn't change in every iteration"
        if loop.increment is None and _has_continue(loop.body):
            return None, "a 'continue' may leave out its change"
        later = [u for u, p in uses if u.kind == "read" and (p, u.order) > (part, change.order) and not any(n is change.node for n in u.chain)]
        if loop.node["kind"] == "DoStmt":  # Its condition is about the next iteration.
            later = [u for u in later if not any(n is loop.condition for n in u.chain)]
        if later or change.is_value_used and part != len(loop.iteration()) - 1:
            return None, "it is used after its change"
        target = pointee(variable.type)
        size = self.size(target) if target and change.node.get("kind") != "BinaryOperator" else 1
        if not size:
            return None, "the size of what it points to isn't known"
        return change.step * size, None

    @staticmethod
    def _is_of_init(variable, loop):
        return loop.init is not None and variable.initial is not None and any(n is variable.initial for n in walk(loop.init))

    def start(self, variable, loop):
        """The value of a variable on entry to the loop; None if unknown."""
        if loop.in_parallel:
            return None
        value = None
        if loop.init:
            value = self._assigned_in(loop.init, variable.identity)
        if value is None:
            outside = [u for u in self.uses if u.variable == variable.identity and u.kind == "modified" and self._in_iteration(u, loop) is None]
            if outside or variable.loop is not loop.parent:
                return None
            value = self.value(variable.initial) if variable.initial else unknown("parameter", variable.identity) if variable.is_parameter else None
        if value is None:
            return None
        changing = self.modified_in(loop)
        used = {a[1] for a in value.atoms() if a[0] == "var"}
        if used & changing or any(a[0] == "mem" for a in value.atoms()):
            return None
        if not loop.init and any(u.kind == "modified" and u.variable in used for u in self.uses):
            return None
        return value

    def _assigned_in(self, init, identity):
        for node in walk(init):
            if node.get("kind") == "VarDecl" and node.get("id") == identity and node.get("init") and children(node):
                return self.value(children(node)[-1])
            if node.get("kind") == "BinaryOperator" and node.get("opcode") == "=":
                left = children(node)[0]
                if left.get("kind") == "DeclRefExpr" and left["referencedDecl"]["id"] == identity:
                    return self.value(children(node)[1])
        return None

    def bound(self, loop, identity):
        """(operator, term) of a condition 'variable operator term' that is checked before each iteration; None for any other."""
        node = loop.condition
        while node and node.get("kind") in ("ParenExpr", "ImplicitCastExpr", "ExprWithCleanups"):
            node = children(node)[0]
        if not node or node.get("kind") != "BinaryOperator" or loop.node["kind"] == "DoStmt":
            return None
        operator, (left, right) = node.get("opcode"), children(node)
        a, b = self.value(left), self.value(right)
        if a is None or b is None or operator not in ("<", "<=", ">", ">=", "!="):
            return None
        variable = unknown("var", identity)
        a, b = self.extended(a, type_of(left)), self.extended(b, type_of(right))
        plain = self.extended(variable, self.variables[identity].type)
        if a in (variable, plain):
            return operator, b
        if b in (variable, plain):
            return {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}[operator], a
        return None

    def accesses(self, loop):
        """([Access] of one iteration, whether that is all the memory that it accesses)."""
        found, is_all = [], not self.has_calls(loop)
        for part in loop.iteration():
            for node, chain in _with_chains(part):
                is_all = self._access(node, chain, found) and is_all
        return found, is_all

    def _access(self, node, chain, found):
        """Adds the access of a node; returns whether it is complete."""
        if not _is_memory(node) or chain and _continues(node, chain[-1]):
            return True
        parents = [n for n in chain if n.get("kind") not in ("ParenExpr",)]
        parent = parents[-1] if parents else {}
        what, opcode = parent.get("kind", ""), parent.get("opcode", "")
        first = bool(children(parent)) and any(n is node for n in walk(children(parent)[0]))
        if what == "ImplicitCastExpr" and parent.get("castKind") == "LValueToRValue":
            is_read, is_written = True, False
        elif what == "BinaryOperator" and opcode == "=" and first:
            is_read, is_written = False, True
        elif what == "CompoundAssignOperator" and first or what == "UnaryOperator" and opcode in ("++", "--"):
            is_read = is_written = True
        elif what == "UnaryOperator" and opcode == "&" or what == "ImplicitCastExpr" and parent.get("castKind") == "ArrayToPointerDecay":
            return True  # an address alone
        else:
            return False
        address, kind = self.address(node), type_of(node)
        size = self.size(kind)
        if address is None or not size:
            if not is_vector(kind):
                return False
            address, size = term(0), 0
        path = [*chain, node]
        conditional = any(_branches(a, b) for a, b in zip(path, path[1:]) if a.get("kind") not in LOOPS)
        inside = [loop for loop in self.loops if any(loop.node is n for n in path)]
        found.append(Access(address, size, is_read, is_written, not conditional, inside))
        return True


def is_pure(function):
    """Whether a function doesn't access memory or call other functions."""
    own = {n["id"] for n in walk(function) if n.get("kind") in ("VarDecl", "ParmVarDecl") and n.get("storageClass") != "static"}
    return not any(
        _is_memory(n) or "Call" in n.get("kind", "") or n.get("kind") == "DeclRefExpr" and n["referencedDecl"].get("kind") == "VarDecl" and (
            n["referencedDecl"]["id"] not in own) for n in walk(function))


def _is_discarded(node, ancestors):
    """Whether the value of an expression isn't used."""
    for parent in reversed(ancestors):
        kind = parent.get("kind", "")
        if kind in ("ParenExpr", "ExprWithCleanups") or kind == "ImplicitCastExpr" and parent.get("castKind") == "ToVoid":
            node = parent
            continue
        if kind == "BinaryOperator" and parent.get("opcode") == ",":
            if children(parent)[0] is node:
                return True
            node = parent
            continue
        if kind == "ForStmt":
            return len(children(parent)) >= 5 and node is not children(parent)[2]
        return kind in ("CompoundStmt", "IfStmt", "LabelStmt", "CapturedDecl", "AttributedStmt") or kind in ("WhileStmt", "DoStmt") and node is not _condition(parent)
    return True


def _condition(node):
    parts = children(node)
    return parts[1] if node["kind"] == "DoStmt" else parts[-2] if len(parts) > 1 else None


def _branches(parent, child):
    """Whether a child of a node isn't executed each time that the node is."""
    kind, parts = parent.get("kind", ""), children(parent)
    if kind in ("IfStmt", "ConditionalOperator", "SwitchStmt"):
        return not parts or child is not parts[0]
    if kind == "BinaryOperator" and parent.get("opcode") in ("&&", "||"):
        return len(parts) > 1 and child is parts[1]
    return kind in LOOPS or kind in CONDITIONAL


def _is_conditional(chain, loop):
    """Whether an iteration may skip the end of the chain of nodes, or execute it more than once."""
    at = next(n for n, node in enumerate(chain) if node is loop.node)
    return any(_branches(a, b) for a, b in zip(chain[at + 1:], chain[at + 2:]))


def _has_continue(node):
    if node.get("kind") == "ContinueStmt":
        return True
    return any(_has_continue(child) for child in children(node) if child.get("kind") not in LOOPS + ("LambdaExpr",))


def _leaving(node, breaks):
    """The keyword of a statement that leaves the loop; breaks: whether a 'break' belongs to the loop."""
    kind = node.get("kind", "")
    words = {"ReturnStmt": "'return'", "GotoStmt": "'goto'", "IndirectGotoStmt": "'goto'", "CXXThrowExpr": "'throw'", "BreakStmt": "'break'" if breaks else None}
    if words.get(kind):
        return words[kind]
    if kind == "LambdaExpr":
        return None
    for child in children(node):
        found = _leaving(child, breaks and kind not in LOOPS + ("SwitchStmt",))
        if found:
            return found
    return None


def _with_chains(root):
    """(node, its ancestors below and with the root) for every node."""
    stack = [(root, [])]
    while stack:
        node, chain = stack.pop()
        yield node, chain
        stack += [(child, [*chain, node]) for child in reversed(children(node)) if node.get("kind") != "UnaryExprOrTypeTraitExpr"]


def _is_memory(node):
    """Whether a node accesses memory through a pointer or subscript."""
    kind = node.get("kind")
    return kind == "ArraySubscriptExpr" or kind == "UnaryOperator" and node.get("opcode") == "*" or kind == "MemberExpr" and bool(children(node))


def _continues(node, parent):
    """Whether the parent refers to a part of the node's object."""
    kind = parent.get("kind")
    if kind == "ParenExpr" or kind == "ImplicitCastExpr" and parent.get("castKind") == "NoOp":
        return False
    return kind == "MemberExpr" and not parent.get("isArrow")
