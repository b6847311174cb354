//! The AST. Its `Display` output is the canonical form.

/// A complete query.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// A search or a metrics query.
    pub root: Root,
    /// Execution hints: `with (most_recent=true)`.
    pub hints: Vec<Hint>,
}

/// The two kinds of query.
#[derive(Clone, Debug, PartialEq)]
pub enum Root {
    /// A search, which returns spansets.
    Search(PipelineExpr),
    /// A metrics query, which returns series over time.
    Metrics(MetricsExpr),
}

/// `name=value` of a `with` clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// Name of the hint, such as `most_recent`.
    pub name: String,
    /// Value of the hint.
    pub value: Literal,
}

/// A pipeline, or a combination of pipelines in parentheses.
#[derive(Clone, Debug, PartialEq)]
pub enum PipelineExpr {
    /// Stages from left to right; never empty.
    Pipeline(Vec<PipelineStage>),
    /// `( .. ) OP ( .. )`.
    Combined {
        /// Operator.
        op: SpansetOp,
        /// The left operand.
        left: Box<PipelineExpr>,
        /// The right operand.
        right: Box<PipelineExpr>,
    },
}

/// One stage of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub enum PipelineStage {
    /// Filters spans.
    Spansets(SpansetExpr),
    /// Filters spansets by an aggregate.
    Scalar(ScalarFilter),
    /// Groups spans: one spanset per value.
    By(FieldExpr),
    /// Merges all spansets of a trace into one.
    Coalesce,
    /// Adds attributes to the result.
    Select(Vec<Field>),
}

/// A spanset filter, or two filters combined by a logical or structural operator.
#[derive(Clone, Debug, PartialEq)]
pub enum SpansetExpr {
    /// `{ .. }`; empty braces match every span.
    Filter(Option<FieldExpr>),
    /// Two spansets combined.
    Combined {
        /// Operator.
        op: SpansetOp,
        /// The left operand.
        left: Box<SpansetExpr>,
        /// The right operand.
        right: Box<SpansetExpr>,
    },
}

/// Operator between two spansets of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpansetOp {
    /// `&&`: both spansets are non-empty; returns the spans of both.
    And,
    /// `||`: at least one spanset is non-empty; returns the spans of both.
    Or,
    /// `>`: right spans with a parent on the left.
    Child,
    /// `<`: right spans that are the parent of a left span.
    Parent,
    /// `>>`: right spans that are descendants of a left span.
    Descendant,
    /// `<<`: right spans that are ancestors of a left span.
    Ancestor,
    /// `~`: right spans that share a parent with a left span.
    Sibling,
    /// `!>`.
    NotChild,
    /// `!<`.
    NotParent,
    /// `!>>`.
    NotDescendant,
    /// `!<<`.
    NotAncestor,
    /// `!~`.
    NotSibling,
    /// `&>`: like `>`, plus the matching left spans.
    UnionChild,
    /// `&<`.
    UnionParent,
    /// `&>>`.
    UnionDescendant,
    /// `&<<`.
    UnionAncestor,
    /// `&~`.
    UnionSibling,
}

/// `count() > 2`, with the aggregate on either side.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarFilter {
    /// The left operand.
    pub left: Scalar,
    /// Comparison operator; never a regular expression match.
    pub op: CompareOp,
    /// The right operand.
    pub right: Scalar,
}

/// A single value per spanset.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A constant.
    Literal(Literal),
    /// An aggregate over the spans of the set.
    Aggregate(Aggregate),
    /// Arithmetic over scalars. It parses, but Tempo and this crate reject it at execution.
    Computed {
        /// Operator.
        op: ArithmeticOp,
        /// The left operand.
        left: Box<Scalar>,
        /// The right operand.
        right: Box<Scalar>,
    },
    /// `( { .. } | count() )`. It parses, but Tempo and this crate reject it at execution.
    Pipeline {
        /// The stages before the aggregate.
        stages: Vec<PipelineStage>,
        /// Final aggregate.
        aggregate: Aggregate,
    },
}

/// An aggregate over the spans of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// Aggregate function.
    pub op: AggregateOp,
    /// Argument; none for `count()`.
    pub of: Option<FieldExpr>,
}

/// Aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateOp {
    /// Number of spans.
    Count,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Arithmetic mean.
    Avg,
    /// Sum.
    Sum,
}

/// An expression over one span.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldExpr {
    /// A constant.
    Literal(Literal),
    /// A field of the span.
    Field(Field),
    /// `-x` or `!x`.
    Unary {
        /// Operator.
        op: UnaryOp,
        /// Operand.
        of: Box<FieldExpr>,
    },
    /// Two expressions combined.
    Binary {
        /// Operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<FieldExpr>,
        /// The right operand.
        right: Box<FieldExpr>,
    },
}

/// Unary operator: `-` or `!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`.
    Negative,
    /// `!`.
    Not,
}

/// Binary operator in an expression over one span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// A comparison.
    Compare(CompareOp),
    /// Arithmetic.
    Arithmetic(ArithmeticOp),
}

/// Comparison operator: `=`, `!=`, `<`, `<=`, `>`, `>=`, `=~`, `!~`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `=~`, anchored at both ends.
    Matches,
    /// `!~`, anchored at both ends.
    MatchesNot,
}

/// Arithmetic operator: `+`, `-`, `*`, `/`, `%`, `^`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
    /// `^`.
    Power,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A string.
    Text(String),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A duration in nanoseconds.
    Duration(i64),
    /// A boolean.
    Bool(bool),
    /// `nil`: no value.
    Nil,
    /// `ok`, `error`, `unset`.
    Status(baton_types::SpanStatus),
    /// `server`, `client`, ..
    Kind(baton_types::SpanKind),
}

/// A field of a span.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// An attribute, set by the emitter of the span.
    Attribute(AttributeRef),
    /// An intrinsic field, which every span has.
    Intrinsic(Intrinsic),
}

/// Reference to an attribute, which the emitter of the span sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AttributeRef {
    /// Scope of the attribute.
    pub scope: AttributeScope,
    /// Whether it refers to the parent span: `parent.x`.
    pub of_parent: bool,
    /// Attribute key, without the scope.
    pub name: String,
}

/// Scope of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AttributeScope {
    /// `.x`: the first scope that has it, in the order span, resource, event, link, instrumentation.
    Any,
    /// `span.x`.
    Span,
    /// `resource.x`.
    Resource,
    /// `event.x`.
    Event,
    /// `link.x`.
    Link,
    /// `instrumentation.x`.
    Instrumentation,
}

/// Intrinsic fields, which every span has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Intrinsic {
    /// `duration`, `span:duration`.
    Duration,
    /// `name`, `span:name`.
    Name,
    /// `kind`, `span:kind`.
    Kind,
    /// `status`, `span:status`.
    Status,
    /// `statusMessage`, `span:statusMessage`.
    StatusMessage,
    /// `span:id`.
    SpanId,
    /// `span:parentID`.
    ParentId,
    /// `span:childCount`; `childCount` is the old form.
    ChildCount,
    /// `parent`; parsed, but not supported.
    Parent,
    /// `traceDuration`, `trace:duration`.
    TraceDuration,
    /// `rootName`, `trace:rootName`.
    RootName,
    /// `rootServiceName`, `trace:rootService`.
    RootService,
    /// `trace:id`.
    TraceId,
    /// `nestedSetLeft`.
    NestedSetLeft,
    /// `nestedSetRight`.
    NestedSetRight,
    /// `nestedSetParent`.
    NestedSetParent,
    /// `event:name`.
    EventName,
    /// `event:timeSinceStart`.
    EventTimeSinceStart,
    /// `link:traceID`.
    LinkTraceId,
    /// `link:spanID`.
    LinkSpanId,
    /// `instrumentation:name`.
    InstrumentationName,
    /// `instrumentation:version`.
    InstrumentationVersion,
}

/// A metrics query, or arithmetic over series.
#[derive(Clone, Debug, PartialEq)]
pub enum MetricsExpr {
    /// A pipeline that ends in a metrics function.
    Query(MetricsQuery),
    /// A constant.
    Number(f64),
    /// Arithmetic over two operands.
    Computed {
        /// Operator: `+`, `-`, `*` or `/`.
        op: ArithmeticOp,
        /// The left operand.
        left: Box<MetricsExpr>,
        /// The right operand.
        right: Box<MetricsExpr>,
        /// Second stages after the parenthesis.
        then: Vec<SecondStage>,
    },
}

/// A pipeline that ends in a metrics function.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricsQuery {
    /// Pipeline that selects the spans.
    pub spans: PipelineExpr,
    /// Metrics function.
    pub first: FirstStage,
    /// Second stages, applied to the series.
    pub then: Vec<SecondStage>,
}

/// A metrics function.
#[derive(Clone, Debug, PartialEq)]
pub enum FirstStage {
    /// `rate()`.
    Rate {
        /// Grouping fields.
        by: Vec<Field>,
    },
    /// `count_over_time()`.
    CountOverTime {
        /// Grouping fields.
        by: Vec<Field>,
    },
    /// `min_over_time(x)`, `max_over_time(x)`, `avg_over_time(x)`, `sum_over_time(x)`.
    AggregateOverTime {
        /// Aggregate function; never `Count`.
        op: AggregateOp,
        /// Aggregated field.
        of: Field,
        /// Grouping fields.
        by: Vec<Field>,
    },
    /// `quantile_over_time(x, 0.5, 0.9)`.
    QuantileOverTime {
        /// Field of the quantiles.
        of: Field,
        /// Quantiles, each between 0 and 1.
        quantiles: Vec<f64>,
        /// Grouping fields.
        by: Vec<Field>,
    },
    /// `histogram_over_time(x)`.
    HistogramOverTime {
        /// Field of the histogram.
        of: Field,
        /// Grouping fields.
        by: Vec<Field>,
    },
    /// `compare({ .. }, 10)`.
    Compare(CompareFunction),
}

/// `compare({ .. }, 10, 1000, 2000)`.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareFunction {
    /// The selection, compared with all other spans.
    pub selection: SpansetExpr,
    /// Maximum number of values per attribute.
    pub top: Option<i64>,
    /// Start of the selection in nanoseconds.
    pub start: Option<i64>,
    /// End of the selection in nanoseconds.
    pub end: Option<i64>,
}

/// A stage that filters series.
#[derive(Clone, Debug, PartialEq)]
pub enum SecondStage {
    /// `topk(5)`.
    TopK(i64),
    /// `bottomk(5)`.
    BottomK(i64),
    /// `> 10`.
    Filter {
        /// Comparison operator; never a regular expression match.
        op: CompareOp,
        /// A number or a duration.
        value: Literal,
    },
}

/// Comparison of one field with one constant: the predicate that an index can answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Left operand.
    pub field: Field,
    /// Comparison operator.
    pub op: CompareOp,
    /// Right operand.
    pub value: Literal,
}
